#include "stoker/layers/augmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "nn/layers/image/drawn_beta.h"
#include "stoker/function.h"
#include "stoker/layers/equalization.h"
#include "stoker/layers/image.h"
#include "support/random_values.h"

// What cannot be compared with Keras because random numbers differ: which layers are drawn, and how
// often.
namespace stoker {
namespace {

const Array x = testing::random_values({3, 6, 5, 3}, 3, 20, 200).astype(DType::float32);

Array in_training(const LayerRef& layer) { return layer(x, {.training = true}).array(); }

auto compiled(const LayerRef& layer) {
  return function([layer](const Tensor& images) { return layer(images, {.training = true}); });
}

bool same(const Array& a, const Array& b) {
  return std::ranges::equal(a.data<float>(), b.data<float>(),
                            [](float p, float q) { return std::abs(p - q) < 1e-2F; });
}

TEST(RandAugment, EachLayerIsAsLikelyForTheWholeBatch) {
  const auto layer = layers::RandAugment({.num_ops = 1, .seed = 3});
  const Array contrast = in_training(layers::AutoContrast()),
              equal = in_training(layers::Equalization());
  const auto augment = compiled(layer);
  constexpr int calls = 66, choices = 11;
  int contrasts = 0, equals = 0;
  for (int i = 0; i < calls; ++i) {
    const Array y = augment(x).array();
    contrasts += same(y, contrast);
    equals += same(y, equal);
  }
  EXPECT_NEAR(contrasts, calls / choices, 5);
  EXPECT_NEAR(equals, calls / choices, 5);
}

TEST(RandAugment, FollowsItsSeedInACompiledStepToo) {
  const auto make = [] { return layers::RandAugment({.seed = 4}); };
  const auto one = make(), other = make();
  const auto step = compiled(other);
  for (int i = 0; i < 3; ++i) {
    const Array y = in_training(one);
    EXPECT_TRUE(same(y, step(x).array()));
    EXPECT_FALSE(same(y, in_training(one)));
    step(x);
  }
}

TEST(AugMix, MixesWithinTheRangeAndSometimesNothing) {
  const auto layer =
      layers::AugMix({.num_chains = 1, .chain_depth = 1, .all_ops = false, .seed = 2});
  const auto augment = compiled(layer);
  constexpr int calls = 64, choices = 8;
  int unchanged = 0;
  for (int i = 0; i < calls; ++i) {
    const Array y = augment(x).array();
    unchanged += same(y, x);
    EXPECT_GE(std::ranges::min(y.data<float>()), 0);
    EXPECT_LE(std::ranges::max(y.data<float>()), 255);
  }
  EXPECT_NEAR(unchanged, calls / choices, 6);
}

TEST(AugMix, SharesAreOfTheDirichletDistribution) {
  constexpr int draws = 400;
  constexpr int64_t n = 3;
  const auto draw = function([](const Tensor& call, const Tensor& alpha) {
    nn::Draws random(call);
    return nn::draw_shares(random, n, alpha);
  });
  for (const double alpha : {1.0, 4.0}) {
    double sum = 0, squares = 0;
    for (int64_t call = 0; call < draws; ++call) {
      const Array shares =
          draw(Array::scalar(call), Array::scalar(static_cast<float>(alpha))).array();
      EXPECT_NEAR(std::reduce(shares.data<float>().begin(), shares.data<float>().end()), 1, 1e-5);
      sum += shares.at(0);
      squares += shares.at(0) * shares.at(0);
    }
    const double mean = sum / draws, variance = squares / draws - mean * mean;
    EXPECT_NEAR(mean, 1.0 / n, 0.04);
    EXPECT_NEAR(variance, 2.0 / 9 / (n * alpha + 1), 0.01) << alpha;
  }
}

TEST(AugMix, MistakesAreRefused) {
  EXPECT_THROW(layers::AugMix({.num_chains = 0}), InvalidArgument);
  EXPECT_THROW(layers::AugMix({.chain_depth = -1}), InvalidArgument);
  EXPECT_THROW(layers::AugMix({.alpha = 0}), InvalidArgument);
  EXPECT_THROW(layers::AugMix({.factor = 1.5}), InvalidArgument);
  EXPECT_THROW(layers::RandAugment({.num_ops = -1}), InvalidArgument);
  EXPECT_THROW(layers::RandAugment({.interpolation = "cubic"}), InvalidArgument);
}

}  // namespace
}  // namespace stoker
