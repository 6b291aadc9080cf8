#include "io/images/affine.h"

#include <gtest/gtest.h>

#include "io/images/test_images.h"

namespace stoker::images {
namespace {

TEST(Transform, OneAfterTheOther) {
  const Affine turn = rotation(9, 9, 0.25), back = rotation(9, 9, -0.25);
  const Affine none = turn.after(back);
  EXPECT_NEAR(none.a0, 1, 1e-12);
  EXPECT_NEAR(none.a2, 0, 1e-12);
  EXPECT_NEAR(none.b0, 0, 1e-12);
  const Affine moved = translation(10, 10, 0.1, 0.2).after(zoom(10, 10, 1, 1));
  EXPECT_NEAR(moved.a2, -2 * 2 - 4.5, 1e-12);  // first moved, then doubled
  const Array image = pattern(9, 9);
  Array rotated(DType::uint8, {9, 9, 3}), straight(DType::uint8, {9, 9, 3});
  const SamplingOptions nearest{.interpolation = Interpolation::nearest};
  transform(pixels_of<uint8_t>(image), turn, nearest, mutable_pixels_of<uint8_t>(rotated));
  EXPECT_FALSE(within(rotated, image, 0));
  transform(pixels_of<uint8_t>(rotated), back, nearest, mutable_pixels_of<uint8_t>(straight));
  EXPECT_TRUE(within(straight, image, 0));
}

TEST(Transform, RefusesOtherInterpolations) {
  const Array image = pattern(3, 3);
  Array to(DType::uint8, {3, 3, 3});
  EXPECT_ERROR(transform(pixels_of<uint8_t>(image), {}, {.interpolation = Interpolation::area},
                         mutable_pixels_of<uint8_t>(to)),
               "must be nearest or bilinear");
  EXPECT_ERROR(parse_fill_mode("mirror"), "unknown fill_mode \"mirror\"");
}

}  // namespace
}  // namespace stoker::images
