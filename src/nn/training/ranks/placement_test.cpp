#include "nn/training/ranks/placement.h"

#include <gtest/gtest.h>

namespace stoker::nn {
namespace {

constexpr int64_t free_bytes = 1 << 30;

data::FeedPlan arrays(int64_t free) {
  data::FeedPlan plan{.columns = {{DType::float32, {1000, 1000}}},
                      .samples = 1000,
                      .shuffles = true,
                      .may_stay = true};
  return plan.placed(free);
}

// A device with less free memory streams: the others do not give more batches at once than it.
TEST(PlacementOfData, IsThatOfTheSmallestDevice) {
  const data::FeedPlan resident = arrays(free_bytes), streamed = arrays(4'000'000),
                       smaller = arrays(2'000'000);
  ASSERT_FALSE(resident.streams);
  ASSERT_NE(streamed.slot_bytes, smaller.slot_bytes);
  const std::vector all{placement_of(resident, false), placement_of(streamed, false),
                        placement_of(smaller, false)};
  for (const data::FeedPlan& plan : {resident, streamed, smaller})
    EXPECT_EQ(placed_as(plan, all), smaller);
  const std::vector enough{placement_of(resident, false), placement_of(resident, false)};
  EXPECT_EQ(placed_as(resident, enough), resident);
}

TEST(PlacementOfData, OfARankOnTheCpuDoesNotCount) {
  const data::FeedPlan streamed = arrays(4'000'000), on_host = arrays(free_bytes);
  EXPECT_EQ(placed_as(streamed, {placement_of(streamed, false), placement_of(on_host, true)}),
            streamed);
}

TEST(PlacementOfData, ADatasetIsKeptIfAllDevicesKeepIt) {
  const data::FeedPlan streamed{.known_batches = 4, .own_batch_size = 8, .streams = true};
  data::FeedPlan kept = streamed;
  kept.keeps = kept.copies = true;
  kept.kept_bytes = 100;
  EXPECT_EQ(placed_as(kept, {placement_of(kept, false), placement_of(streamed, false)}), streamed);
  EXPECT_EQ(placed_as(kept, {placement_of(kept, false), placement_of(kept, true)}), kept);
}

}  // namespace
}  // namespace stoker::nn
