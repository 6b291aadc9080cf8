#pragma once
#include <algorithm>
#include <cstdint>

#include "ledger/ledger.h"

namespace stoker::nn {

// How many steps to submit to a device at once: enough that the device never waits for the host,
// few enough that the progress line and an interrupt never wait long.
class StepsPerLaunch {
 public:
  int64_t steps() const { return steps_; }
  void took(ledger::Time nanoseconds) {
    if (nanoseconds < enough) steps_ = std::min(most, steps_ * 2);
    if (nanoseconds > too_long) steps_ = std::max<int64_t>(1, steps_ / 2);
  }

 private:
  static constexpr ledger::Time enough = 10'000'000, too_long = 50'000'000;
  static constexpr int64_t most = 1 << 16;
  int64_t steps_ = 1;
};

}  // namespace stoker::nn
