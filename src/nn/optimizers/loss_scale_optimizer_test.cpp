#include "stoker/optimizers/loss_scale_optimizer.h"

#include <fmt/format.h>

#include "nn/test_models.h"
#include "stoker/optimizers.h"
#include "support/policy_scope.h"

namespace stoker {
namespace {

using namespace test;
using testing::PolicyScope;

Sequential mixed_model(const OptimizerRef& optimizer, bool auto_scale = true) {
  const PolicyScope scope("mixed_float16");
  set_random_seed(5);
  Sequential model({Input({.shape = {features}}), layers::Dense({.units = 8, .activation = "relu"}),
                    layers::Dense({.units = 1})});
  model.compile({.optimizer = optimizer, .loss = {"mse"}, .auto_scale_loss = auto_scale});
  return model;
}

TEST(LossScale, CompileWrapsTheOptimizerOfAMixedModel) {
  EXPECT_EQ(mixed_model("adam").optimizer().class_name(), "LossScaleOptimizer");
  EXPECT_EQ(mixed_model("adam").optimizer().loss_scale(), 32768);
  EXPECT_EQ(mixed_model("adam", false).optimizer().class_name(), "Adam");
  const auto own = optimizers::LossScaleOptimizer({.inner_optimizer = "sgd", .initial_scale = 8});
  EXPECT_EQ(mixed_model(own).optimizer().loss_scale(), 8);
  EXPECT_EQ(classifier().optimizer().class_name(), "Adam");
}

// Targets of 20000 make gradients of the scaled loss overflow until the scale has come down.
TEST(LossScale, SkipsOverflowingStepsAndReportsThem) {
  Sequential model = mixed_model(optimizers::Adam({.learning_rate = 0.01}));
  const Array x = random_array({64, features});
  Array y(DType::float32, {64, 1});
  for (float& value : y.mutable_data<float>()) value = 20000;
  const auto before = model.get_weights();
  Optimizer& optimizer = model.optimizer();
  model.train_on_batch(x, y);
  EXPECT_EQ(model.skipped_steps(), 1);
  EXPECT_EQ(difference(model.get_weights(), before), 0) << "the step was not skipped";
  EXPECT_EQ(optimizer.iterations().array().at(0), 0);
  EXPECT_EQ(optimizer.loss_scale(), 16384);
  model.fit(x, y, {.batch_size = 16, .epochs = 10, .verbose = 0});
  const int64_t skipped = model.skipped_steps() - 1;
  EXPECT_GT(skipped, 0);
  EXPECT_LT(skipped, 40);
  EXPECT_EQ(optimizer.iterations().array().at(0), static_cast<double>(40 - skipped));
  EXPECT_EQ(optimizer.loss_scale(), std::ldexp(32768, -static_cast<int>(skipped + 1)));
  EXPECT_NE(
      model.account().find(fmt::format("{} steps skipped: gradients overflowed float16", skipped)),
      std::string::npos)
      << model.account();
  for (const Array& weight : model.get_weights())
    for (int64_t i = 0; i < weight.size(); ++i) EXPECT_TRUE(std::isfinite(weight.at(i)));
}

// What is skipped leaves accumulators, averages and counters alone, too.
TEST(LossScale, ASkippedStepChangesNothingOfAnyOptimizer) {
  for (const OptimizerRef& inner :
       {OptimizerRef(
            optimizers::SGD({.momentum = 0.9, .gradient_accumulation_steps = 2, .use_ema = true})),
        OptimizerRef("rmsprop"), OptimizerRef("adamw"), OptimizerRef("adagrad")}) {
    const auto optimizer = optimizers::LossScaleOptimizer({.inner_optimizer = inner});
    const Variable w(Array::from<float>({1, 2}, {2}), "w");
    const auto apply = [&](float value) {
      optimizer->apply_gradients({Tensor(Array::from<float>({value, 1}, {2}))}, {w});
    };
    apply(1);
    apply(2);
    std::vector<Array> before;
    for (const Variable& v : inner->variables()) before.push_back(v.array().clone());
    const Array weight = w.array().clone();
    apply(NAN);
    size_t i = 0;
    for (const Variable& v : inner->variables())
      EXPECT_EQ(difference(v.array(), before[i++]), 0) << v.name();
    EXPECT_EQ(difference(w.array(), weight), 0);
    apply(1);
    EXPECT_GT(difference(inner->iterations().array(), before[0]), 0);
  }
}

TEST(LossScale, AFixedFactorCancelsOut) {
  const auto train = [](std::optional<double> factor) {
    Sequential model = classifier();
    model.compile({.optimizer = optimizers::SGD({.loss_scale_factor = factor}),
                   .loss = {"sparse_categorical_crossentropy"}});
    const auto data = samples(48);
    model.fit(data.x, data.y, {.batch_size = 16, .verbose = 0, .shuffle = false});
    return model.get_weights();
  };
  EXPECT_EQ(difference(train({}), train(1024)), 0) << "a power of two rounds nothing";
  EXPECT_THROW(optimizers::SGD({.loss_scale_factor = -1}), InvalidArgument);
}

TEST(LossScale, ComesBackFromItsConfig) {
  const auto made = optimizers::LossScaleOptimizer(
      {.inner_optimizer = optimizers::Adam({.learning_rate = 0.5, .loss_scale_factor = 4}),
       .dynamic_growth_steps = 7});
  const Config config = made->get_config();
  EXPECT_TRUE(config.find("inner_optimizer")->find("config")->find("loss_scale_factor")->is_null())
      << "the inner one must not scale again";
  const OptimizerRef again(Config::map({{"class_name", made->class_name()}, {"config", config}}));
  EXPECT_EQ(again->get_config(), config);
  EXPECT_EQ(again->learning_rate(), 0.5);
  EXPECT_THROW(optimizers::LossScaleOptimizer({.inner_optimizer = made}), InvalidArgument);
  EXPECT_THROW(optimizers::LossScaleOptimizer({}), InvalidArgument);
  EXPECT_THROW(optimizers::LossScaleOptimizer({.inner_optimizer = "sgd", .initial_scale = 0}),
               InvalidArgument);
}

}  // namespace
}  // namespace stoker
