#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include "core/memory/counted.h"

// Tracks which thread is in which call of a user function, and cancels threads whose elements are
// no longer needed.
namespace stoker::data {

// Ends the work of a cancelled thread. Not an error: no stage catches it.
struct Cancelled {};

// While it lives, calls that this thread starts throw Cancelled once the flag is set.
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

std::string calls_in_progress();  // of all threads: "element 7 of map, created train.cpp:41"

// Calls that have not returned for so many seconds are reported by those who wait for an element.
inline std::atomic<double> slow_call_seconds = 10;

// One wait of a thread for others' results.
class Patience {
 public:
  static constexpr auto pause = std::chrono::milliseconds(50);  // polling interval
  // Called periodically while waiting; throws Cancelled in a cancelled thread, and Interrupted if
  // interrupt() ends the wait.
  void look();

 private:
  struct Seen {
    const void* thread;
    uint64_t call;  // its number
    std::chrono::steady_clock::time_point since;
  };
  std::vector<Seen> seen_;  // the calls in progress at the last look
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

// A lock for calls of a function that must not run in two threads at once, but may call itself. An
// interrupt or a cancelled thread ends the wait for it.
class OneAtATime {
 public:
  void lock();
  void unlock();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread::id holder_;  // none: free
  int depth_ = 0;
};

}  // namespace stoker::data
