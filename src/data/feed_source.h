#pragma once
#include <memory>

#include "data/feed.h"
#include "ledger/ledger.h"

namespace stoker::data {

struct FeedOptions {
  int64_t batch_size = 32;
  uint64_t seed = 0;
  const char* what = "the data";  // for messages
  bool trains = false;            // it is fit's, of the data that it trains on
  int64_t steps_per_epoch = 0;
  ledger::Ledger* ledger = nullptr;  // where waiting for the device is booked
};

// Where feeds come from: arrays, or the description of a pipeline.
class FeedSource {
 public:
  virtual ~FeedSource() = default;
  // What a feed will do on a device of which other data will take `beside` bytes.
  virtual FeedPlan plan(const device::Device& device, int64_t beside = 0) const = 0;
  // Does what was planned for this device.
  virtual std::unique_ptr<Feed> open(const FeedPlan& plan, const device::Device& device,
                                     const FeedOptions& options) const = 0;
};

}  // namespace stoker::data
