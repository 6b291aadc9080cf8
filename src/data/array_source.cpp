#include "data/array_source.h"

#include <limits>

#include "data/array_feed.h"

namespace stoker::data {

FeedPlan ArraySource::whole() const {
  FeedPlan plan{.samples = columns.at(0).length(), .shuffles = shuffle, .may_stay = true};
  for (const Array& column : columns) plan.columns.push_back(column.type());
  return plan.placed(std::numeric_limits<int64_t>::max());
}

FeedPlan ArraySource::plan(const device::Device& device, int64_t beside) const {
  FeedPlan plan = whole();
  if (!device.is_host()) plan = plan.placed(device.free_memory().largest_piece - beside);
  plan.copies = device.describe().copies_inputs != 0;
  return plan;
}

std::unique_ptr<Feed> ArraySource::open(const FeedPlan& plan, const device::Device& device,
                                        const FeedOptions& options) const {
  return std::make_unique<ArrayFeed>(*this, plan, device, options);
}

}  // namespace stoker::data
