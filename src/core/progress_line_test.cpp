#include "stoker/progress_line.h"

#include <gtest/gtest.h>

namespace stoker {
namespace {

TEST(ProgressLine, SaysRateAndTimeLeftWhereTheNumberIsKnown) {
  EXPECT_EQ(progress_text("packing", 1200, 60000, 0.5), "packing 1200 of 60000, 2400/s, 24 s left");
  EXPECT_EQ(progress_text("packing", 1200, -2, 0.5), "packing 1200, 2400/s");
  EXPECT_EQ(progress_text("packing", 0, 10, 1), "packing 0 of 10, 0/s");
}

}  // namespace
}  // namespace stoker
