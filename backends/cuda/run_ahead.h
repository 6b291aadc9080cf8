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
      check(driver().cuEventSynchronize(marks_[marked_ % 2]), "waiting for an earlier step");
  }

  // With the guard, after enqueuing.
  void ran(int64_t calls, int64_t steps, CUstream stream) {
    calls_ += calls;
    if (steps > 1 || calls_ >= calls_per_mark) mark(stream);
  }

 private:
  static constexpr int64_t calls_per_mark = 32;

  void mark(CUstream stream) {
    calls_ = 0;
    const uint64_t marked = marked_;
    CUevent& event = marks_[marked % 2];
    if (!event) check(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "creating an event");
    check(driver().cuEventRecord(event, stream), "marking the end of a run");
    marked_ = marked + 1;
    is_waited_for_.store(marked == 0, std::memory_order_release);
  }

  int64_t calls_ = 0;  // since the latest event
  CUevent marks_[2] = {};
  std::atomic<uint64_t> marked_{0};
  std::atomic<bool> is_waited_for_{true};
};

}  // namespace stoker::cuda
