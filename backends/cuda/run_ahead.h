#pragma once
#include <atomic>

#include "libraries/library.h"

namespace stoker::cuda {

// Limits how far the host runs ahead of a GPU: a host that is seconds ahead could not be
// interrupted. An event is recorded after each group of steps, or after enough calls of single
// ones, as small steps would otherwise spend their time on events. At most two such events are
// pending.
class RunAhead {
 public:
  // Without the GPU's guard: waits for the event before the latest.
  void hold_back() {
    if (!is_waited_for_.exchange(true, std::memory_order_acq_rel))
      check(driver().cuEventSynchronize(events_[recorded_ % 2]), "waiting for an earlier step");
  }

  // With the guard, after enqueuing.
  void ran(int64_t calls, int64_t steps, CUstream stream) {
    calls_ += calls;
    if (steps > 1 || calls_ >= calls_per_event) record_event(stream);
  }

 private:
  static constexpr int64_t calls_per_event = 32;

  void record_event(CUstream stream) {
    calls_ = 0;
    const uint64_t recorded = recorded_;
    CUevent& event = events_[recorded % 2];
    if (!event) check(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "creating an event");
    check(driver().cuEventRecord(event, stream), "recording the end of a run");
    recorded_ = recorded + 1;
    is_waited_for_.store(recorded == 0, std::memory_order_release);
  }

  int64_t calls_ = 0;  // since the latest event
  CUevent events_[2] = {};
  std::atomic<uint64_t> recorded_{0};
  std::atomic<bool> is_waited_for_{true};
};

}  // namespace stoker::cuda
