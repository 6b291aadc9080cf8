#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stoker::ledger {

// What happened while the training thread waited or worked. Compile and outside-the-loop work count
// too, so that the parts add up.
enum class Activity : uint8_t {
  compile,
  input,
  step,        // of the device, with the time that the host waits for it
  host_calls,  // functions of the user's inside steps
  metrics,
  callback,
  checkpoint,
  validation,
  count
};
inline constexpr size_t num_activities = static_cast<size_t>(Activity::count);
const char* name_of(Activity activity);

using Time = int64_t;  // nanoseconds on one monotonic clock
using Clock = Time (*)();
inline Time steady_clock() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
inline std::atomic<Clock> clock{steady_clock};  // a test sets another
inline Time now() { return clock.load(std::memory_order_relaxed)(); }

struct Event {
  Time begin, end;
  Activity activity;
};

// A ring of the latest events beside running totals: always on, no allocation, no lock; one thread
// writes.
class Ledger {
 public:
  void start();
  void stop() { end_ = now(); }
  void record(Activity activity, Time begin, Time end) {
    ring_[written_++ % capacity] = {begin, end, activity};
    totals_[static_cast<size_t>(activity)] += end - begin;
  }

  Time total(Activity activity) const { return totals_[static_cast<size_t>(activity)]; }
  Time wall() const { return end_ - begin_; }
  Time unexplained() const;           // wall time that no event covers
  std::vector<Event> latest() const;  // what the ring still holds, oldest first
  uint64_t events() const { return written_; }

  // "2.31 s = step 2.10 + input 0.02 + … + unexplained 0.01"
  std::string line() const;

  static constexpr size_t capacity = 4096;

 private:
  std::vector<Event> ring_ = std::vector<Event>(capacity);
  std::array<Time, num_activities> totals_{};
  uint64_t written_ = 0;
  Time begin_ = 0, end_ = 0;
  friend class Scope;
  Time inside_ = 0;  // time of the scopes that ended inside the open one
};

// Records the time until the end of the scope, less what scopes inside it recorded: parts never
// count twice.
class Scope {
 public:
  Scope(Ledger& ledger, Activity activity)
      : ledger_(ledger),
        activity_(activity),
        begin_(now()),
        outer_inside_(std::exchange(ledger.inside_, 0)) {}
  ~Scope() {
    const Time end = now();
    ledger_.record(activity_, begin_ + ledger_.inside_, end);
    ledger_.inside_ = outer_inside_ + (end - begin_);
  }
  Time so_far() const { return now() - begin_; }
  void book_as(Activity activity) { activity_ = activity; }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Ledger& ledger_;
  Activity activity_;
  Time begin_, outer_inside_;
};

}  // namespace stoker::ledger
