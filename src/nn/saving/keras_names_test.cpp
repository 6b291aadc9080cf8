#include <gtest/gtest.h>

#include "nn/config/registry.h"
#include "stoker/loss.h"
#include "stoker/metric.h"
#include "stoker/optimizer.h"

// Aliases by which Keras finds classes.
namespace stoker {
namespace {

TEST(KerasNames, OfLosses) {
  for (const char* name : {"BCE",
                           "KLD",
                           "MAE",
                           "MAPE",
                           "MSE",
                           "MSLE",
                           "bce",
                           "binary_crossentropy",
                           "binary_focal_crossentropy",
                           "categorical_crossentropy",
                           "categorical_focal_crossentropy",
                           "categorical_hinge",
                           "circle",
                           "cosine_similarity",
                           "ctc",
                           "dice",
                           "hinge",
                           "huber",
                           "kl_divergence",
                           "kld",
                           "log_cosh",
                           "mae",
                           "mape",
                           "mean_absolute_error",
                           "mean_absolute_percentage_error",
                           "mean_squared_error",
                           "mean_squared_logarithmic_error",
                           "mse",
                           "msle",
                           "poisson",
                           "sparse_categorical_crossentropy",
                           "squared_hinge",
                           "tversky",
                           "crossentropy",
                           "ce"})
    EXPECT_NO_THROW(LossRef{name}) << name;
}

TEST(KerasNames, OfMetrics) {
  for (const char* name : {"BCE",
                           "MAE",
                           "MAPE",
                           "MSE",
                           "MSLE",
                           "bce",
                           "mae",
                           "mape",
                           "mse",
                           "msle",
                           "accuracy",
                           "acc",
                           "crossentropy",
                           "ce",
                           "auc",
                           "binary_accuracy",
                           "binary_crossentropy",
                           "binary_io_u",
                           "categorical_accuracy",
                           "categorical_crossentropy",
                           "categorical_hinge",
                           "concordance_correlation",
                           "cosine_similarity",
                           "f1_score",
                           "f_beta_score",
                           "false_negatives",
                           "false_positives",
                           "hinge",
                           "kl_divergence",
                           "log_cosh_error",
                           "mean",
                           "mean_absolute_error",
                           "mean_absolute_percentage_error",
                           "mean_squared_error",
                           "mean_squared_logarithmic_error",
                           "pearson_correlation",
                           "poisson",
                           "precision",
                           "r2_score",
                           "recall",
                           "root_mean_squared_error",
                           "sparse_categorical_accuracy",
                           "sparse_categorical_crossentropy",
                           "sparse_top_k_categorical_accuracy",
                           "squared_hinge",
                           "sum",
                           "top_k_categorical_accuracy",
                           "true_negatives",
                           "true_positives"})
    EXPECT_NO_THROW(MetricRef(name).check()) << name;
  // These need arguments; the error names them.
  for (const char* name :
       {"io_u", "mean_io_u", "one_hot_io_u", "one_hot_mean_io_u", "precision_at_recall",
        "recall_at_precision", "sensitivity_at_specificity", "specificity_at_sensitivity"})
    try {
      MetricRef(name).check();
      FAIL() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(" needs \""), std::string::npos) << error.what();
    }
}

TEST(KerasNames, OfOptimizers) {
  for (const char* name : {"adadelta", "adafactor", "adagrad", "adam", "adamax", "adamw", "ftrl",
                           "lamb", "lion", "muon", "nadam", "rmsprop", "schedulefreeadamw", "sgd"})
    EXPECT_NO_THROW(OptimizerRef{name}) << name;
}

}  // namespace
}  // namespace stoker
