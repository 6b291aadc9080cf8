#include "core/half.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stoker {
namespace {

bool is_nan16(uint32_t h) { return (h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0; }
bool is_nan_bf16(uint32_t h) { return (h & 0x7f80) == 0x7f80 && (h & 0x7f) != 0; }

TEST(Half, EveryFloat16SurvivesTheRoundTrip) {
  for (uint32_t h = 0; h < 65536; ++h) {
    const float wide = float16_to_float(static_cast<uint16_t>(h));
    if (is_nan16(h))
      ASSERT_TRUE(std::isnan(wide) && is_nan16(float_to_float16(wide))) << h;
    else
      ASSERT_EQ(float_to_float16(wide), h);
  }
}

TEST(Half, EveryBfloat16SurvivesTheRoundTrip) {
  for (uint32_t h = 0; h < 65536; ++h) {
    const float wide = bfloat16_to_float(static_cast<uint16_t>(h));
    if (is_nan_bf16(h))
      ASSERT_TRUE(std::isnan(wide) && is_nan_bf16(float_to_bfloat16(wide))) << h;
    else
      ASSERT_EQ(float_to_bfloat16(wide), h);
  }
}

// Ties go to the even neighbour; slightly above, to the nearer one.
TEST(Half, RoundsToNearestEven) {
  for (uint32_t h = 0; h < 0x7bff; ++h) {
    const auto low = static_cast<uint16_t>(h), high = static_cast<uint16_t>(h + 1);
    const float middle = (float16_to_float(low) + float16_to_float(high)) / 2;
    ASSERT_EQ(float_to_float16(middle), h % 2 == 0 ? low : high);
    ASSERT_EQ(float_to_float16(std::nextafter(middle, 1e9f)), high);
    ASSERT_EQ(float_to_float16(std::nextafter(middle, -1e9f)), low);
  }
  EXPECT_EQ(float_to_float16(65519.9f), 0x7bff);
  EXPECT_EQ(float_to_float16(65520.0f), 0x7c00);
}

}  // namespace
}  // namespace stoker
