#include "stoker/layers/noise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stoker {
namespace {

const Array ones = [] {
  Array array(DType::float32, {40, 50, 8});
  for (float& value : array.mutable_data<float>()) value = 1;
  return array;
}();

struct Moments {
  double mean, deviation;
};
Moments moments(const Array& x) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    sum += x.at(i);
    squares += x.at(i) * x.at(i);
  }
  const double n = static_cast<double>(x.size()), mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean)};
}

Array in_training(const LayerRef& layer) { return layer(ones, {.training = true}).array(); }

TEST(Noise, GaussianNoiseIsAddedWithItsDeviation) {
  const auto [mean, deviation] = moments(in_training(layers::GaussianNoise({.stddev = 0.3})));
  EXPECT_NEAR(mean, 1, 0.01);
  EXPECT_NEAR(deviation, 0.3, 0.01);
}

TEST(Noise, GaussianDropoutHasTheDeviationOfADropout) {
  const auto [mean, deviation] = moments(in_training(layers::GaussianDropout({.rate = 0.2})));
  EXPECT_NEAR(mean, 1, 0.015);
  EXPECT_NEAR(deviation, 0.5, 0.015);
}

TEST(Noise, AlphaDropoutHasTwoValuesAndKeepsTheMoments) {
  const Array y = in_training(layers::AlphaDropout({.rate = 0.25}));
  const double least = -1.6732632423543772 * 1.0507009873554805;
  const double a = 1 / std::sqrt(0.75 * (1 + 0.25 * least * least)), b = -a * least * 0.25;
  int64_t dropped = 0;
  for (int64_t i = 0; i < y.size(); ++i) {
    const bool kept = std::abs(y.at(i) - (a + b)) < 1e-5;
    dropped += !kept;
    EXPECT_TRUE(kept || std::abs(y.at(i) - (a * least + b)) < 1e-5) << y.at(i);
  }
  EXPECT_NEAR(static_cast<double>(dropped) / static_cast<double>(y.size()), 0.25, 0.02);
}

TEST(Noise, SpatialDropoutDropsWholeChannels) {
  const Array y = in_training(layers::SpatialDropout1D({.rate = 0.5}));
  int64_t dropped = 0;
  for (int64_t sample = 0; sample < 40; ++sample)
    for (int64_t channel = 0; channel < 8; ++channel) {
      const double first = y.at(sample * 400 + channel);
      dropped += first == 0;
      for (int64_t step = 1; step < 50; ++step)
        ASSERT_EQ(y.at(sample * 400 + step * 8 + channel), first);
    }
  EXPECT_NEAR(static_cast<double>(dropped), 160, 40);
}

TEST(Noise, EqualSeedsGiveEqualNumbersAndEachCallNewOnes) {
  const auto a = layers::GaussianNoise({.stddev = 1, .seed = 5}),
             b = layers::GaussianNoise({.stddev = 1, .seed = 5});
  const Array first = in_training(a), second = in_training(a);
  EXPECT_EQ(first.at(7), in_training(b).at(7));
  EXPECT_NE(first.at(7), second.at(7));
}

TEST(Noise, MistakesAreRefused) {
  EXPECT_THROW(layers::GaussianNoise({.stddev = 2}), InvalidArgument);
  EXPECT_THROW(layers::GaussianDropout({.rate = -1}), InvalidArgument);
  EXPECT_THROW(layers::SpatialDropout2D({.rate = 0.5, .data_format = "channels"}), InvalidArgument);
  EXPECT_THROW(in_training(layers::SpatialDropout2D({.rate = 0.5})), InvalidArgument);
}

}  // namespace
}  // namespace stoker
