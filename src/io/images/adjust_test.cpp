#include "io/images/adjust.h"

#include <gtest/gtest.h>

#include "io/images/test_images.h"

namespace stoker::images {
namespace {

TEST(Adjust, FlipsTwiceIsNothing) {
  const Array image = pattern(4, 5);
  Array flipped = image.clone();
  const Pixels<uint8_t> pixels = mutable_pixels_of<uint8_t>(flipped);
  flip_left_right(pixels);
  for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(flipped.at(c), image.at(4 * 3 + c));
  flip_left_right(pixels);
  flip_up_down(pixels);
  EXPECT_EQ(flipped.at(7), image.at(3 * 15 + 7));
  flip_up_down(pixels);
  EXPECT_TRUE(within(flipped, image, 0));
}

TEST(Adjust, ChangesACropAndNothingElse) {
  const Array image = pattern(6, 40);
  for (const int64_t width : {1, 7, 8, 9, 16, 37}) {
    Array changed = image.clone();
    adjust_hue(mutable_pixels_of<uint8_t>(changed).crop({1, 2, 4, width}), 0.3f);
    Array alone = copied(pixels_of<uint8_t>(image).crop({1, 2, 4, width}));
    adjust_hue(mutable_pixels_of<uint8_t>(alone), 0.3f);
    for (int64_t y = 0; y < 6; ++y)
      for (int64_t x = 0; x < 40; ++x) {
        const bool inside = y >= 1 && y < 5 && x >= 2 && x < 2 + width;
        const uint8_t want = inside ? *pixels_of<uint8_t>(alone).at(y - 1, x - 2)
                                    : *pixels_of<uint8_t>(image).at(y, x);
        ASSERT_EQ(*pixels_of<uint8_t>(changed).at(y, x), want) << y << ", " << x;
      }
  }
}

TEST(Adjust, ColoursNeedRgb) {
  Array gray = pattern(3, 3, 1);
  EXPECT_ERROR(adjust_hue(mutable_pixels_of<uint8_t>(gray), 0.1f),
               "3 channels (RGB) is needed, got 1");
  EXPECT_ERROR(adjust_saturation(mutable_pixels_of<uint8_t>(gray), 2), "got 1");
}

}  // namespace
}  // namespace stoker::images
