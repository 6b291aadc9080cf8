#include "nn/training/ranks/placement.h"

#include <algorithm>
#include <limits>

#include "distribution/collectives.h"

namespace stoker::nn {

Placement placement_of(const data::FeedPlan& plan, bool is_host) {
  return {is_host, plan.streams, plan.slot_bytes, plan.keeps};
}

data::FeedPlan placed_as(data::FeedPlan plan, const std::vector<Placement>& all) {
  const auto among_devices = [&](auto holds) {
    return std::ranges::any_of(all,
                               [&](const Placement& one) { return !one.is_host && holds(one); });
  };
  if (among_devices([](const Placement& one) { return one.streams != 0; })) {
    if (!plan.streams) plan.slot_bytes = std::numeric_limits<int64_t>::max();
    plan.streams = true;
    plan.gathers = false;
    for (const Placement& one : all)
      if (!one.is_host && one.streams) plan.slot_bytes = std::min(plan.slot_bytes, one.slot_bytes);
  }
  if (plan.keeps && among_devices([](const Placement& one) { return one.keeps == 0; })) {
    plan.keeps = plan.copies = false;
    plan.kept_bytes = 0;
  }
  return plan;
}

data::FeedPlan placed_together(const data::FeedPlan& plan, bool is_host) {
  if (distribution::size() == 1) return plan;
  const Placement own = placement_of(plan, is_host);
  std::vector<Placement> all(static_cast<size_t>(distribution::size()));
  distribution::collectives().all_gather(&own, all.data(), sizeof own);
  return is_host ? plan : placed_as(plan, all);
}

}  // namespace stoker::nn
