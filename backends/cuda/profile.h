#pragma once
#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "device/backend_interface.h"
#include "libraries/library.h"

namespace stoker::cuda {

// Records when calls ran on a GPU while profiling is on: an event before and after each.
class Profile {
 public:
  const char* keep(const char* name);  // a copy that lives as long as the plugin; null: ""
  bool is_on() const { return on_.load(std::memory_order_relaxed); }

  // Require the GPU's guard: what is enqueued between them is the call.
  CUevent begin(CUstream stream);
  void end(CUevent begun, CUstream stream, const char* name, int32_t node);

  // Without the guard, but start() records on the stream.
  void start(CUstream stream);
  void stop() { on_ = false; }
  int64_t read(StokerSpan* out, int64_t most);  // waits for those calls
  int64_t dropped() const { return dropped_; }  // since start()

 private:
  static constexpr size_t capacity = size_t{1} << 17;  // later calls are dropped
  struct Call {
    const char* name;
    int32_t node;
    CUevent begin, end;
  };
  CUevent recorded(CUstream stream);
  int64_t wait_for(int64_t most);
  StokerSpan take_oldest();
  void forget(CUevent event) { free_.push_back(event); }

  std::atomic<bool> on_{false};
  std::atomic<int64_t> dropped_{0};
  std::mutex reading_, guard_;  // lock order; no thread waits for the GPU holding guard_
  std::set<std::string> names_;
  std::deque<Call> calls_;
  std::vector<CUevent> free_;
  // Times are accumulated from event to event: the driver returns floats, which are inexact over a
  // long time.
  CUevent previous_ = nullptr;
  double previous_time_ = 0;  // nanoseconds since start()
};

}  // namespace stoker::cuda
