#pragma once
#include <memory>

#include "data/feeds/feed.h"
#include "ledger/ledger.h"

namespace stoker::data {

struct FeedOptions {
  int64_t batch_size = 32;
  uint64_t seed = 0;
  const char* what = "the data";  // for messages
  bool trains = false;            // for fit's training data
  int64_t steps_per_epoch = 0;
  ledger::Ledger* ledger = nullptr;  // books waiting for the device
};

// Creates feeds: from arrays, or from the description of a pipeline.
class FeedSource {
 public:
  virtual ~FeedSource() = default;
  // The plan of a feed on a device where other data will need `beside` bytes.
  virtual FeedPlan plan(const device::Device& device, int64_t beside = 0) const = 0;
  // Opens a feed as planned for this device.
  virtual std::unique_ptr<Feed> open(const FeedPlan& plan, const device::Device& device,
                                     const FeedOptions& options) const = 0;
};

}  // namespace stoker::data
