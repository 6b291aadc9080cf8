#include "stoker/layers/batch_normalization.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stoker/function.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

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
  EXPECT_NEAR(weights[3].at(1), 0.25 + 75.0, 1e-4);  // from 1 towards 100 in two steps of one half
}

// Compiled, the relu is fused into the normalisation; op by op it is not.
TEST(BatchNormalization, CompiledWithReluItIsTheSame) {
  const Array x = Array::from<float>({1, 10, 3, 30, -2, 4, 0.5, -7}, {4, 2}),
              weights = Array::from<float>({1, -2, 3, 0.5, -1, 2, 0.25, 1}, {4, 2});
  const auto differentiate = [&](const LayerRef& layer, const Tensor& input) {
    GradientTape tape;
    const Tensor y = ops::relu(layer(input, {.training = true}));
    auto results = tape.gradient(ops::sum(y * Tensor(weights)), std::vector<Tensor>{input});
    results.push_back(y);
    return results;
  };
  const auto layer = [] {
    return layers::BatchNormalization({.beta_initializer = "ones", .gamma_initializer = "ones"});
  };
  const LayerRef eager = layer(), compiled = layer();
  const auto expected = differentiate(eager, x);
  detail::TracedFunction step(
      [&](const std::vector<Tensor>& in) { return differentiate(compiled, in[0]); });
  const auto actual = step({x});
  for (size_t i = 0; i < expected.size(); ++i)
    for (int64_t e = 0; e < x.size(); ++e)
      EXPECT_NEAR(actual[i].array().at(e), expected[i].array().at(e), 1e-5) << i << " " << e;
  EXPECT_NEAR(compiled->get_weights()[2].at(1), eager->get_weights()[2].at(1), 1e-6);
}

}  // namespace
}  // namespace stoker
