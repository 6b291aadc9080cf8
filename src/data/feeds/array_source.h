#pragma once
#include "data/feeds/feed_source.h"

namespace stoker::data {

// Arrays with the same number of rows.
struct ArraySource : FeedSource {
  explicit ArraySource(std::vector<Array> arrays, bool shuffles = false)
      : columns(std::move(arrays)), shuffle(shuffles) {}
  FeedPlan plan(const device::Device& device, int64_t beside = 0) const override;
  std::unique_ptr<Feed> open(const FeedPlan& plan, const device::Device& device,
                             const FeedOptions& options) const override;

  // Assumes that the data fits on any device; queries none.
  FeedPlan whole() const;

  std::vector<Array> columns;
  bool shuffle;
};

}  // namespace stoker::data
