#include "stoker/layers/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "stoker/error.h"
#include "stoker/function.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker {
namespace {

Array ones(const Shape& shape) { return ops::fill(shape, 1).array(); }
std::vector<float> numbers(const Tensor& tensor) {
  const Array array = tensor.array();
  const auto data = array.data<float>();
  return {data.begin(), data.end()};
}

int64_t state_of(const LayerRef& layer) {
  return layer->hidden_states()[0].array().data<int64_t>()[0];
}

TEST(Dropout, DropsAShareAndScalesTheRest) {
  const auto y = numbers(layers::Dropout({.rate = 0.25})(ones({100, 100}), {.training = true}));
  int dropped = 0;
  for (float value : y) {
    EXPECT_TRUE(value == 0 || std::abs(value - 1 / 0.75f) < 1e-6f) << value;
    dropped += value == 0;
  }
  EXPECT_NEAR(dropped, 2500, 5 * 43.3);  // five standard deviations
}

TEST(Dropout, DoesNothingOutsideTraining) {
  const LayerRef dropout = layers::Dropout({.rate = 0.5});
  dropout->build_once({{4, 4}});
  const int64_t before = state_of(dropout);
  const auto y = numbers(dropout(ones({4, 4})));
  EXPECT_EQ(std::ranges::count(y, 1.0f), 16);
  EXPECT_EQ(state_of(dropout), before);
}

TEST(Dropout, EveryCallDrawsAnewAndTheStateSaysWhat) {
  const LayerRef first = layers::Dropout({.rate = 0.5, .seed = 1});
  const auto a = numbers(first(ones({64}), {.training = true}));
  const Array state = first->hidden_states()[0].array();
  const auto b = numbers(first(ones({64}), {.training = true}));
  EXPECT_NE(a, b);
  const LayerRef again = layers::Dropout({.rate = 0.5, .seed = 7});  // its state is used before
  again->build_once({{64}});
  again->hidden_states()[0].set(state);
  EXPECT_EQ(numbers(again(ones({64}), {.training = true})), b);
  const LayerRef other = layers::Dropout({.rate = 0.5, .seed = 2});
  EXPECT_NE(numbers(other(ones({64}), {.training = true})), a);
}

TEST(Dropout, CompiledStepsDrawTheSameAndCount) {
  const LayerRef eager = layers::Dropout({.rate = 0.5, .seed = 1});
  const LayerRef traced = layers::Dropout({.rate = 0.5, .seed = 1});
  const auto step =
      stoker::function([&](const Tensor& x) { return traced(x, {.training = true}); });
  traced->build_once({{64}});
  const int64_t before = state_of(traced);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(numbers(step(ones({64}))), numbers(eager(ones({64}), {.training = true})));
  EXPECT_EQ(state_of(traced), before + 3);
  EXPECT_EQ(step.traces(), 1u);
}

TEST(Dropout, TheStateIsNoWeight) {
  const LayerRef dropout = layers::Dropout({.rate = 0.5});
  dropout(ones({4}), {.training = true});
  EXPECT_TRUE(dropout->weights().empty());
  EXPECT_EQ(dropout->count_params(), 0);
  EXPECT_EQ(dropout->hidden_states().size(), 1u);
}

TEST(Dropout, NoiseShapeDropsTogether) {
  const LayerRef dropout = layers::Dropout({.rate = 0.5, .noise_shape = Shape{unknown, 1}});
  const auto y = numbers(dropout(ones({50, 3}), {.training = true}));
  for (size_t row = 0; row < 50; ++row) {
    EXPECT_EQ(y[row * 3], y[row * 3 + 1]);
    EXPECT_EQ(y[row * 3], y[row * 3 + 2]);
  }
  EXPECT_THROW(
      layers::Dropout({.rate = 0.5, .noise_shape = Shape{2, 2}})(ones({50, 3}), {.training = true}),
      InvalidArgument);
}

TEST(Dropout, RateIsAShare) {
  EXPECT_THROW(layers::Dropout({.rate = 1.5}), InvalidArgument);
  EXPECT_THROW(layers::Dropout({.rate = -0.1}), InvalidArgument);
  const auto y = numbers(layers::Dropout({.rate = 1})(ones({8}), {.training = true}));
  EXPECT_EQ(std::ranges::count(y, 0.0f), 8);
}

}  // namespace
}  // namespace stoker
