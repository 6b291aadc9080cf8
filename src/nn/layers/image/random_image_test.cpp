#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "stoker/layers/elastic_transform.h"
#include "stoker/layers/equalization.h"
#include "stoker/layers/image.h"
#include "stoker/layers/perspective.h"
#include "support/random_values.h"

namespace stoker {
namespace {

constexpr int64_t images = 64, height = 5, width = 4;
const Array x =
    testing::random_values({images, height, width, 2}, 3, 0, 200).astype(DType::float32);

Array in_training(const LayerRef& layer) { return layer(x, {.training = true}).array(); }

double pixel(const Array& of, int64_t image, int64_t row, int64_t column, int64_t channel = 0) {
  const Shape& s = of.shape();
  return of.at(((image * s[1] + row) * s[2] + column) * s[3] + channel);
}

// Is image i of y the image i of x under a mapping of rows and columns?
template <class Map>
bool is_mapped(const Array& y, int64_t i, const Map& map) {
  for (int64_t row = 0; row < y.shape()[1]; ++row)
    for (int64_t column = 0; column < y.shape()[2]; ++column) {
      const auto [from_row, from_column] = map(row, column);
      for (int64_t channel = 0; channel < 2; ++channel)
        if (pixel(y, i, row, column, channel) != pixel(x, i, from_row, from_column, channel))
          return false;
    }
  return true;
}

TEST(RandomPosterization, WritesItsBitsAsIntegers) {
  const Config config = layers::RandomPosterization({.factor = 4})->get_config();
  ASSERT_EQ(config.find("factor")->as_list().size(), 2u);
  for (const Config& bits : config.find("factor")->as_list()) EXPECT_TRUE(bits.is_int());
}

TEST(RandomImage, AFlipTurnsSomeImagesAndLeavesTheOthers) {
  const auto count = [](const char* mode, bool down, bool across) {
    const Array y = in_training(layers::RandomFlip({.mode = mode, .seed = 1}));
    int64_t flipped = 0;
    for (int64_t i = 0; i < images; ++i) {
      const bool same = is_mapped(y, i, [](int64_t r, int64_t c) { return std::pair(r, c); });
      const bool turned = is_mapped(y, i, [&](int64_t r, int64_t c) {
        return std::pair(down ? height - 1 - r : r, across ? width - 1 - c : c);
      });
      EXPECT_TRUE(same != turned) << mode << " image " << i;
      flipped += turned;
    }
    return flipped;
  };
  EXPECT_NEAR(static_cast<double>(count("horizontal", false, true)), images / 2, 16);
  EXPECT_NEAR(static_cast<double>(count("vertical", true, false)), images / 2, 16);
  EXPECT_NEAR(static_cast<double>(count("horizontal_and_vertical", true, true)), images / 2, 16);
}

TEST(RandomImage, ACropIsAWindowAndEveryWindowComes) {
  const auto crop = layers::RandomCrop({.height = 3, .width = 2, .seed = 7});
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int call = 0; call < 60; ++call) {
    const Array y = in_training(crop);
    ASSERT_EQ(y.shape(), Shape({images, 3, 2, 2}));
    for (int64_t top = 0; top <= height - 3; ++top)
      for (int64_t left = 0; left <= width - 2; ++left)
        if (is_mapped(y, 5, [&](int64_t r, int64_t c) { return std::pair(r + top, c + left); }))
          seen.insert({top, left});
  }
  EXPECT_EQ(seen.size(), 9u);
}

TEST(RandomImage, AQuarterTurnIsOne) {
  const Config quarter = Config::List{0.25, 0.25};
  const Array square = testing::random_values({2, 5, 5, 1}, 4).astype(DType::float32);
  const auto turn = layers::RandomRotation({.factor = quarter});
  const Array y = turn(square, {.training = true}).array();
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t row = 0; row < 5; ++row)
      for (int64_t column = 0; column < 5; ++column)
        EXPECT_NEAR(pixel(y, i, row, column), pixel(square, i, column, 4 - row), 1e-4);
}

TEST(RandomImage, RotationsStayInsideTheImagesRange) {
  for (const char* mode : {"reflect", "wrap", "nearest"}) {
    const Array y = in_training(layers::RandomRotation({.factor = 0.5, .fill_mode = mode}));
    const auto values = y.data<float>();
    EXPECT_GE(*std::ranges::min_element(values), -1e-3) << mode;
    EXPECT_LE(*std::ranges::max_element(values), 200.01F) << mode;
  }
}

TEST(RandomImage, APerspectiveKeepsTheFirstCornerAndMovesOthers) {
  const Array y = in_training(
      layers::RandomPerspective({.factor = Config::List{1, 1}, .scale = 0.5, .seed = 2}));
  int64_t moved = 0;
  for (int64_t i = 0; i < images; ++i) {
    EXPECT_NEAR(pixel(y, i, 0, 0), pixel(x, i, 0, 0), 1e-2);
    moved += std::abs(pixel(y, i, 4, 3) - pixel(x, i, 4, 3)) > 0.1;
  }
  EXPECT_GT(moved, images / 2);
}

TEST(RandomImage, AnElasticTransformMovesPixelsWithinTheImage) {
  const auto layer = layers::RandomElasticTransform({.scale = Config::List{1, 1}, .seed = 2});
  const Array y = in_training(layer);
  const auto values = y.data<float>();
  EXPECT_GE(*std::ranges::min_element(values), -1e-3);
  EXPECT_LE(*std::ranges::max_element(values), 200.01F);
  EXPECT_FALSE(std::ranges::equal(values, x.data<float>()));
  const auto never = layers::RandomElasticTransform({.factor = 0.0});
  EXPECT_TRUE(std::ranges::equal(in_training(never).data<float>(), x.data<float>()));
}

TEST(RandomImage, BrightnessMovesEachImageByOneNumberInTheRange) {
  const auto layer = layers::RandomBrightness(
      {.factor = Config::List{-0.0625, 0.125}, .value_range = Config::List{-2000, 2000}});
  const Array y = in_training(layer);
  std::vector<double> deltas;
  for (int64_t i = 0; i < images; ++i) {
    const double delta = pixel(y, i, 0, 0) - pixel(x, i, 0, 0);
    EXPECT_NEAR(pixel(y, i, 4, 3, 1) - pixel(x, i, 4, 3, 1), delta, 1e-2);
    deltas.push_back(delta);
  }
  EXPECT_NEAR(*std::ranges::min_element(deltas), -250, 50);
  EXPECT_NEAR(*std::ranges::max_element(deltas), 500, 50);
}

TEST(RandomImage, EqualSeedsGiveEqualImages) {
  const auto make = [] { return layers::RandomZoom({.height_factor = 0.4, .seed = 3}); };
  const auto one = make();
  const Array a = in_training(one), b = in_training(make()), c = in_training(one);
  EXPECT_TRUE(std::ranges::equal(a.data<float>(), b.data<float>()));
  EXPECT_FALSE(std::ranges::equal(a.data<float>(), c.data<float>()));
}

TEST(RandomImage, MistakesAreRefused) {
  EXPECT_THROW(layers::RandomFlip({.mode = "diagonal"}), InvalidArgument);
  EXPECT_THROW(layers::RandomRotation({.factor = 2.0}), InvalidArgument);
  EXPECT_THROW(layers::RandomZoom({.height_factor = Config::List{1, 2, 3}}), InvalidArgument);
  EXPECT_THROW(layers::RandomRotation({.factor = 0.1, .fill_mode = "mirror"}), InvalidArgument);
  EXPECT_THROW(layers::Resizing({.height = 3, .width = 3, .interpolation = "area"}),
               InvalidArgument);
  EXPECT_THROW(layers::Resizing({.height = 0, .width = 3}), InvalidArgument);
  EXPECT_THROW(
      layers::ContrastLimitedAdaptiveHistogramEqualization({.value_range = Config::List{1, 1}}),
      InvalidArgument);
  EXPECT_THROW(layers::ContrastLimitedAdaptiveHistogramEqualization({.tile_grid_size = {0, 2}}),
               InvalidArgument);
  const auto tiles =
      layers::ContrastLimitedAdaptiveHistogramEqualization({.tile_grid_size = {11, 2}});
  EXPECT_THROW(tiles(x), InvalidArgument);
  EXPECT_THROW(layers::CenterCrop({.height = 3, .width = 3})(Array(DType::float32, {4, 4})),
               InvalidArgument);
}

}  // namespace
}  // namespace stoker
