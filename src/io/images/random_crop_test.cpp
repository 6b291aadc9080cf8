#include "io/images/random_crop.h"

#include <gtest/gtest.h>

#include "io/images/test_images.h"

namespace stoker::images {
namespace {

TEST(RandomCrop, LiesInTheImageAndInTheRanges) {
  const RandomCropOptions options;
  double area = 0;
  bool at_left = false, at_right = false;
  constexpr int count = 2000;
  for (uint64_t i = 0; i < count; ++i) {
    Random random(3, 0, i);
    const Box box = random_resized_crop(375, 500, options, random);
    ASSERT_GE(box.top, 0);
    ASSERT_GE(box.left, 0);
    ASSERT_LE(box.top + box.height, 375);
    ASSERT_LE(box.left + box.width, 500);
    const double aspect = static_cast<double>(box.width) / static_cast<double>(box.height);
    EXPECT_GT(aspect, 0.74);
    EXPECT_LT(aspect, 1.35);
    area += static_cast<double>(box.height * box.width) / (375 * 500) / count;
    EXPECT_GT(box.height * box.width, 0.078 * 375 * 500);
    at_left |= box.left < 10;
    at_right |= box.left + box.width > 490;
  }
  EXPECT_NEAR(area, 0.433, 0.02);  // less than 0.54: large boxes of another aspect ratio do not fit
  EXPECT_TRUE(at_left && at_right);
}

TEST(RandomCrop, IsAFunctionOfTheRandomNumbers) {
  const auto box = [](uint64_t seed, uint64_t number) {
    Random random(seed, 0, number);
    return random_resized_crop(300, 400, {}, random);
  };
  const Box one = box(1, 7), same = box(1, 7);
  EXPECT_EQ(one.top, same.top);
  EXPECT_EQ(one.width, same.width);
  EXPECT_TRUE(one.left != box(1, 8).left || one.width != box(1, 8).width);
  EXPECT_TRUE(one.left != box(2, 7).left || one.width != box(2, 7).width);
}

TEST(RandomCrop, FallsBackToTheMiddle) {
  Random random(1);
  const Box box = random_resized_crop(10, 1000, {.area = {0.9f, 1.0f}}, random);
  EXPECT_EQ(box.height, 10);
  EXPECT_EQ(box.width, 13);
  EXPECT_EQ(box.top, 0);
  EXPECT_EQ(box.left, 493);
  EXPECT_ERROR(random_resized_crop(10, 10, {.area = {0, 1}}, random), "got area 0 to 1");
}

}  // namespace
}  // namespace stoker::images
