#include "stoker/layers/batch_normalization.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stoker/function.h"

namespace stoker {
namespace {

const Array batch = Array::from<float>({1, 10, 3, 30}, {2, 2});

TEST(BatchNormalization, FrozenItUsesAndKeepsTheAverages) {
  const LayerRef layer = layers::BatchNormalization();
  layer->build_once({batch.shape()});
  layer->set_trainable(false);
  const Array y = layer(batch, {.training = true}).array();
  EXPECT_NEAR(y.at(3), 30 / std::sqrt(1.001), 1e-4);
  EXPECT_EQ(layer->get_weights()[2].at(0), 0);
  EXPECT_TRUE(layer->trainable_variables().empty());
}

TEST(BatchNormalization, AveragesMoveOnceAStep) {
  const LayerRef layer = layers::BatchNormalization({.momentum = 0.5});
  const auto step = stoker::function([&](const Tensor& x) { return layer(x, {.training = true}); });
  step(batch);
  step(batch);
  const auto weights = layer->get_weights();
  EXPECT_NEAR(weights[2].at(0), 2 * 0.75, 1e-6);
  EXPECT_NEAR(weights[3].at(0), 1, 1e-6);            // the biased variance is 1, too
  EXPECT_NEAR(weights[3].at(1), 0.25 + 75.0, 1e-4);  // 1 → 100 in two halves
}

}  // namespace
}  // namespace stoker
