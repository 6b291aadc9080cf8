#include <gtest/gtest.h>

#include "stoker/error.h"
#include "stoker/gradient_tape.h"
#include "stoker/layers/dense.h"
#include "stoker/regularizers.h"

namespace stoker {
namespace {

const Array weight = Array::from<float>({1, -2, 3}, {3});

TEST(Regularizer, PenaltiesAreKeras) {
  EXPECT_NEAR(Regularizer("l1")(weight).item(), 0.06, 1e-7);
  EXPECT_NEAR(Regularizer("l2")(weight).item(), 0.14, 1e-7);
  EXPECT_NEAR(regularizers::L1L2({.l1 = 0.5, .l2 = 0.25})(weight).item(), 3 + 3.5, 1e-6);
  EXPECT_EQ(Regularizer("l1_l2")(weight).item(), 0);
}

TEST(Regularizer, GradientFlowsToTheWeight) {
  const Variable w(weight, "w");
  GradientTape tape;
  const Tensor penalty = regularizers::L1L2({.l1 = 0.5, .l2 = 0.25})(w);
  const Array gradient = tape.gradient(penalty, std::vector{w})[0].array();
  EXPECT_NEAR(gradient.at(0), 0.5 + 0.5, 1e-6);
  EXPECT_NEAR(gradient.at(1), -0.5 - 1.0, 1e-6);
}

TEST(Regularizer, ConfigMakesTheSameOne) {
  const Config config = regularizers::L2({.l2 = 0.3}).to_config();
  EXPECT_EQ(Regularizer(config).to_config(), config);
  EXPECT_TRUE(Regularizer().to_config().is_null());
}

TEST(Regularizer, LayersCollectTheirPenalties) {
  const LayerRef dense = layers::Dense({.units = 1,
                                        .kernel_initializer = "ones",
                                        .bias_initializer = "ones",
                                        .kernel_regularizer = "l2",
                                        .bias_regularizer = "l1"});
  dense(weight.reshape({1, 3}));
  const auto losses = dense->losses();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_NEAR(losses[0].item(), 0.03, 1e-7);
  EXPECT_NEAR(losses[1].item(), 0.01, 1e-7);
}

TEST(Regularizer, RefusesNonsense) {
  EXPECT_THROW(Regularizer("l3"), InvalidArgument);
  EXPECT_THROW(regularizers::L2({.l2 = -1}), InvalidArgument);
}

}  // namespace
}  // namespace stoker
