#pragma once
#include <atomic>
#include <cstdint>

#include "ledger/ledger.h"

namespace stoker::data {

// A parameter of a stage, such as the number of concurrent calls.
struct Setting {
  std::atomic<const char*> what = "";
  std::atomic<int64_t> value = 0;
  std::atomic<int64_t> most = 0;        // upper bound for the tuner; 0: fixed by the program
  std::atomic<bool> tried_one = false;  // by the tuner of any pass: a single call

  void fix(const char* name, int64_t number) {
    what = name;
    value = number;
  }
  void tune(const char* name, int64_t first, int64_t limit) {
    if (automatic()) return;  // continues with the value found by an earlier pass
    fix(name, first);
    most = limit;
  }
  bool automatic() const { return most > 0; }
};

// Counters of a stage over all passes. Any thread adds to them.
class Meter {
 public:
  // Counts one more element and returns how many elements its time represents, if it is to be
  // measured: slow elements are all measured, of others one in sixteen. 0: not measured.
  int64_t count() {
    const int64_t before = elements_.fetch_add(1, std::memory_order_relaxed);
    if (slow_.load(std::memory_order_relaxed)) return 1;
    return before % sampled == 0 ? sampled : 0;
  }
  // An element whose work was measured completely.
  void add_element() {
    add(elements_, 1);
    add(timed_, 1);
  }
  void add_timed(int64_t elements, ledger::Time time) {
    add(timed_, elements);
    add(work_, time);
    slow_.store(time > slow * elements, std::memory_order_relaxed);
  }
  void add_waited(ledger::Time time) { add(waited_, time); }
  void add_stalled(ledger::Time time) { add(stalled_, time); }
  void add_held(int64_t bytes) { add(held_, bytes); }

  int64_t elements() const { return elements_.load(std::memory_order_relaxed); }
  double seconds_per_element() const {  // of its own work, in one thread
    const int64_t timed = timed_.load(std::memory_order_relaxed);
    const auto work = static_cast<double>(work_.load(std::memory_order_relaxed)) * 1e-9;
    return timed == 0 || work < 0 ? 0 : work / static_cast<double>(timed);
  }
  double waited_seconds() const {  // for elements of the stages before, in all threads
    return static_cast<double>(waited_.load(std::memory_order_relaxed)) * 1e-9;
  }
  // Time during which as many elements were in flight as allowed, but too few for all threads.
  double stalled_seconds() const {
    return static_cast<double>(stalled_.load(std::memory_order_relaxed)) * 1e-9;
  }
  int64_t held_bytes() const { return held_.load(std::memory_order_relaxed); }

  Setting setting;
  std::atomic<bool> parallel = false;       // do several threads share the work?
  std::atomic<bool> inline_at_one = false;  // is a single call made by the reading thread?

 private:
  static constexpr int64_t sampled = 16;
  static constexpr ledger::Time slow = 5000;
  static void add(std::atomic<int64_t>& to, int64_t more) {
    to.fetch_add(more, std::memory_order_relaxed);
  }

  std::atomic<bool> slow_ = true;
  std::atomic<int64_t> elements_ = 0, timed_ = 0, work_ = 0, waited_ = 0, stalled_ = 0, held_ = 0;
};

// Measures a part of a stage's work until it ends; nested measurements are work of other stages.
// `stands_for`: the number of such parts it represents, of which the others are not measured.
class Timed {
 public:
  Timed(Meter& meter, int64_t elements, int64_t stands_for = 1)
      : meter_(meter), elements_(elements), stands_for_(stands_for), outer_(inside), begin_(now()) {
    inside = 0;
  }
  ~Timed() {
    const ledger::Time took = now() - begin_;
    meter_.add_timed(elements_, took - inside);
    inside = outer_ + took * stands_for_;
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  static ledger::Time now() { return ledger::steady_clock(); }
  static inline thread_local ledger::Time inside = 0;  // of this thread's current measurement

  Meter& meter_;
  const int64_t elements_, stands_for_;
  const ledger::Time outer_, begin_;
};

// Measures a stage's wait for its inputs.
class TimedWait {
 public:
  explicit TimedWait(Meter& meter, bool stalled = false)
      : meter_(meter), stalled_(stalled), begin_(ledger::steady_clock()) {}
  ~TimedWait() {
    const ledger::Time time = ledger::steady_clock() - begin_;
    meter_.add_waited(time);
    if (stalled_) meter_.add_stalled(time);
  }
  TimedWait(const TimedWait&) = delete;
  TimedWait& operator=(const TimedWait&) = delete;

 private:
  Meter& meter_;
  const bool stalled_;
  const ledger::Time begin_;
};

}  // namespace stoker::data
