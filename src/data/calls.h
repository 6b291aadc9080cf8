#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <vector>

#include "core/memory/counted.h"

// Calls of the program's functions: which thread is in which of them, and how a thread whose
// elements nobody wants any more is told so.
namespace stoker::data {

// Ends the work of such a thread. Not an error: no stage catches it.
struct Cancelled {};

// While it lives, the calls that this thread begins end with Cancelled once the flag is set.
class CancelScope {
 public:
  explicit CancelScope(const std::atomic<bool>& flag);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};
void throw_if_cancelled();

// While it lives, this thread is in a call for an element of a stage.
class CurrentCall {
 public:
  CurrentCall(const char* stage, const std::source_location& created, int64_t number);
  ~CurrentCall();
  CurrentCall(const CurrentCall&) = delete;
  CurrentCall& operator=(const CurrentCall&) = delete;

 private:
  InPipeline counted_;
};

// After so many seconds of waiting for an element, the calls that have not returned are named.
inline std::atomic<double> slow_call_seconds = 10;

// One wait of a thread for what others make.
class Patience {
 public:
  static constexpr auto pause = std::chrono::milliseconds(50);  // between two looks
  // Is called now and then; throws Cancelled in a thread that was told to stop, and Interrupted
  // where interrupt() ends what waits.
  void look();

 private:
  using Call = std::pair<const void*, uint64_t>;                 // a thread and which of its calls
  std::optional<std::chrono::steady_clock::time_point> looked_;  // first
  std::vector<Call> calls_;                                      // which there were then
  bool said_ = false;
};

template <class Ready>
void wait_for_others(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                     Ready ready) {
  if (ready()) return;
  Patience patience;
  while (!changed.wait_for(lock, Patience::pause, ready)) {
    lock.unlock();
    patience.look();
    lock.lock();
  }
}

}  // namespace stoker::data
