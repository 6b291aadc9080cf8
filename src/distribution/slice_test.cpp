#include "distribution/slice.h"

#include <gtest/gtest.h>

namespace stoker::distribution {
namespace {

TEST(Slice, EveryRowIsOneRanks) {
  for (int64_t size : {1, 2, 3, 7})
    for (int64_t rows = size; rows < 40; ++rows) {
      int64_t next = 0;
      for (int64_t rank = 0; rank < size; ++rank) {
        const Slice slice = Division{rank, size}.of(rows);
        EXPECT_EQ(slice.first, next);
        EXPECT_GE(slice.here, rows / size);
        EXPECT_LE(slice.here, rows / size + 1);
        next += slice.here;
      }
      EXPECT_EQ(next, rows);
    }
}

TEST(Slice, ABatchOfFewerRowsThanRanksIsNotDivided) {
  EXPECT_TRUE((Division{2, 3}.of(2).is_whole()));
  EXPECT_FALSE((Division{2, 3}.of(3).is_whole()));
}

TEST(Slice, TheInnermostScopeCounts) {
  EXPECT_EQ(current_slice(), nullptr);
  const SliceScope outer({8, 4, 4});
  {
    const SliceScope whole({3, 0, 3});
    EXPECT_EQ(current_slice(), nullptr);
  }
  ASSERT_NE(current_slice(), nullptr);
  EXPECT_EQ(current_slice()->first, 4);
}

}  // namespace
}  // namespace stoker::distribution
