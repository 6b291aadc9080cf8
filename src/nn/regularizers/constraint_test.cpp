#include <gtest/gtest.h>

#include "stoker/constraints.h"
#include "stoker/error.h"
#include "stoker/layers/dense.h"
#include "stoker/model.h"
#include "stoker/optimizers/adam.h"
#include "stoker/optimizers/sgd.h"

namespace stoker {
namespace {

const Array weight = Array::from<float>({3, -1, 0.1f, 4, 2, 0.2f}, {2, 3});

void expect_values(const Array& found, const std::vector<double>& wanted) {
  for (int64_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.at(i), wanted[static_cast<size_t>(i)], 1e-6) << i;
}

TEST(Constraint, ProjectionsAreKeras) {
  expect_values(Constraint("max_norm")(weight).array(),
                {1.2, -0.8944271802902222, 0.09999995678663254, 1.6, 1.7888543605804443,
                 0.19999991357326508});
  expect_values(Constraint("non_neg")(weight).array(), {3, 0, 0.1, 4, 2, 0.2});
  expect_values(constraints::UnitNorm({.axis = 1})(weight).array(),
                {0.9482093453407288, -0.3160697817802429, 0.03160697966814041, 0.8935341238975525,
                 0.44676706194877625, 0.044676706194877625});
  expect_values(
      constraints::MinMaxNorm({.min_value = 0.5, .max_value = 1.5, .rate = 0.5})(weight).array(),
      {1.95, -0.8354101777076721, 0.16180332005023956, 2.6, 1.6708203554153442,
       0.3236066401004791});
  expect_values(constraints::UnitNorm({.axis = {0, 1}})(weight).array(),
                {0.5472666621208191, -0.1824222207069397, 0.01824222318828106, 0.7296888828277588,
                 0.3648444414138794, 0.03648444637656212});
}

TEST(Constraint, ConfigMakesTheSameOne) {
  const Config config = constraints::MinMaxNorm({.rate = 0.5, .axis = {0, 1}}).to_config();
  EXPECT_EQ(Constraint(config).to_config(), config);
  EXPECT_EQ(config.find("module")->as_string(), "keras.constraints");
  EXPECT_EQ(Constraint("unit_norm").to_config().find("config")->find("axis")->as_int(), 0);
  EXPECT_THROW(Constraint("max_nrm"), InvalidArgument);
}

// A step ends with the projected weight, for any optimizer.
TEST(Constraint, HoldsAfterEveryStep) {
  for (const OptimizerRef& optimizer :
       {OptimizerRef(optimizers::SGD({.learning_rate = 0.5})),
        OptimizerRef(optimizers::Adam({.learning_rate = 0.5})),
        OptimizerRef(optimizers::Adam({.learning_rate = 0.5, .use_ema = true}))}) {
    const LayerRef dense =
        layers::Dense({.units = 3, .kernel_constraint = "unit_norm", .bias_constraint = "non_neg"});
    Sequential model({Input({.shape = {2}}), dense});
    model.compile({.optimizer = optimizer, .loss = "mse"});
    for (int step = 0; step < 3; ++step) {
      model.train_on_batch(Array::from<float>({1, 2, 3, 4}, {2, 2}),
                           Array::from<float>({-9, -8, 7, -6, 5, -4}, {2, 3}));
      const auto weights = dense->get_weights();
      for (int64_t i = 0; i < 3; ++i) {
        const double a = weights[0].at(i), b = weights[0].at(i + 3);
        EXPECT_NEAR(a * a + b * b, 1, 1e-5);
        EXPECT_GE(weights[1].at(i), 0);
      }
    }
  }
}

// As in Keras, the average is taken before constraints are applied, so it need not satisfy them.
TEST(Constraint, IsNotInTheMovingAverage) {
  Sequential model({Input({.shape = {1}}),
                    layers::Dense({.units = 1, .use_bias = true, .bias_constraint = "non_neg"})});
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 1, .use_ema = true}), .loss = "mse"});
  model.fit(Array::from<float>({0}, {1, 1}), Array::from<float>({-1}, {1, 1}), {.verbose = 0});
  EXPECT_NEAR(model.get_weights()[1].at(0), -2, 1e-6);
}

}  // namespace
}  // namespace stoker
