#pragma once
#include <vector>

#include "data/feeds/feed_plan.h"

namespace stoker::nn {

// Where a rank's device would have the data, by its free memory.
struct Placement {
  int64_t is_host;
  int64_t streams;
  int64_t slot_bytes;
  int64_t keeps;
};
Placement placement_of(const data::FeedPlan& plan, bool is_host);
// This rank's plan with the data where the devices of all ranks have memory for it: if one device
// must stream batches, all do. A feed that streams gives fewer batches at once than one that does
// not, and all ranks must launch the same number of steps.
data::FeedPlan placed_as(data::FeedPlan plan, const std::vector<Placement>& all);

// The same with the placements of all ranks, which all call this.
data::FeedPlan placed_together(const data::FeedPlan& plan, bool is_host);

}  // namespace stoker::nn
