#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <string>

namespace stoker::cuda {

// From now on this calls `end` with a message, on a thread of its own, if a call waits for the GPU
// for longer than so many seconds. Ranks that add on their GPUs wait there for the slowest of them,
// and NCCL itself has no limit. Later calls do nothing.
void limit_waits(double seconds, std::function<void(const std::string& message)> end);

// From now on calls may wait as long as they need: at the end of a program rank 0 may take long to
// save.
void lift_limit_of_waits();

// Around a call that may wait for the GPU or for other ranks; costs nothing without a limit.
class GpuWait {
 public:
  GpuWait();
  ~GpuWait();
  GpuWait(const GpuWait&) = delete;
  GpuWait& operator=(const GpuWait&) = delete;

 private:
  friend void limit_waits(double, std::function<void(const std::string&)>);
  friend void lift_limit_of_waits();
  struct Limit;
  static std::atomic<Limit*> limit;
  Limit* const limit_;
  std::list<std::chrono::steady_clock::time_point>::iterator begun_;
};

}  // namespace stoker::cuda
