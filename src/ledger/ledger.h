#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stoker::ledger {

// What happened while the training thread waited or worked. Compile and outside-the-loop work count
// too, so that the parts add up.
enum class Activity : uint8_t {
  compile,
  input,
  step,        // of the device, including the host's waiting for it
  host_calls,  // user functions inside steps
  metrics,
  callback,
  checkpoint,
  validation,
  outputs,  // results that predict copies from the device
  setup,    // opening and closing of the data: checks, threads, memory; reading the machine's load
  count
};
inline constexpr size_t num_activities = static_cast<size_t>(Activity::count);
const char* name_of(Activity activity);

using Time = int64_t;  // nanoseconds on one monotonic clock
using Times = std::array<Time, num_activities>;
using Clock = Time (*)();
inline Time steady_clock() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
inline std::atomic<Clock> clock{steady_clock};  // a test sets another
inline Time now() { return clock.load(std::memory_order_relaxed)(); }

struct Event {
  Time begin, end;
  Activity activity;
};

// "2.31 s = step 2.10 + input 0.02 + … + unexplained 0.01"
std::string line_of(Time wall, const Times& totals);

class Scope;

// What the writer thread is doing. A copy of a ledger is doing nothing.
struct Open {
  Open() = default;
  Open(const Open&) {}
  Open& operator=(const Open&) { return *this; }
  const Scope* innermost = nullptr;
  std::atomic<Activity> activity{Activity::count};  // of it, for other threads; count: none
};

// A ring buffer of the latest events plus running totals: always on, no allocation, no lock; one
// writer thread.
class Ledger {
 public:
  void start();
  // The run began earlier, doing this until now. Only right after start().
  void began_earlier(Time begin, Activity doing) {
    if (begin >= begin_) return;
    record(doing, begin, begin_);
    begin_ = begin;
  }
  void stop() { end_ = at_least_latest(now()); }
  // If the clock jumps back, time stands still until it is where it was: no time is negative, and
  // the parts still add up.
  Time at_least_latest(Time time) const { return std::max(time, latest_); }
  void record(Activity activity, Time begin, Time end) {
    end = std::max(begin, end);
    ring_[written_++ % capacity] = {begin, end, activity};
    totals_[static_cast<size_t>(activity)] += end - begin;
    ++counts_[static_cast<size_t>(activity)];
  }
  // The first step begins; earlier time is accounted separately.
  void begin_steps();
  void add(const Ledger& other);  // what was booked there

  Time total(Activity activity) const { return totals_[static_cast<size_t>(activity)]; }
  const Times& totals() const { return totals_; }
  Times totals_until(Time now) const;  // with the open scopes
  int64_t count(Activity activity) const { return counts_[static_cast<size_t>(activity)]; }
  Time wall() const { return end_ - begin_; }
  Time wall_until(Time now) const { return at_least_latest(now) - begin_; }
  // From any thread: what the writer thread is doing; count: none of the activities.
  Activity doing() const { return open_.activity.load(std::memory_order_relaxed); }
  Time begun() const { return begin_; }
  bool steps_begun() const { return steps_begin_.has_value(); }
  Time wall_before_steps() const { return steps_begin_.value_or(begin_) - begin_; }
  const Times& totals_before_steps() const { return before_; }
  int64_t compiled_before_steps() const { return compiled_before_; }
  Time unexplained() const;           // wall time that no event covers
  std::vector<Event> latest() const;  // what the ring still holds, oldest first
  uint64_t events() const { return written_; }

  // Calls `visit` for the open scopes and the events that overlap the time from `begin` on, newest
  // first.
  template <class Visit>
  void since(Time begin, Visit visit) const {
    each_open(std::numeric_limits<Time>::max(), visit);
    const uint64_t oldest = written_ > capacity ? written_ - capacity : 0;
    for (uint64_t i = written_; i > oldest && ring_[(i - 1) % capacity].end > begin; --i)
      visit(ring_[(i - 1) % capacity]);
  }

  std::string line() const { return line_of(wall(), totals_); }

  static constexpr size_t capacity = 512;

 private:
  template <class Visit>
  void each_open(Time now, Visit visit) const;

  std::vector<Event> ring_ = std::vector<Event>(capacity);
  Times totals_{}, before_{};
  std::array<int64_t, num_activities> counts_{};
  uint64_t written_ = 0;
  int64_t compiled_before_ = 0;
  Time begin_ = 0, end_ = 0, latest_ = 0;
  std::optional<Time> steps_begin_;
  friend class Scope;
  Time inside_ = 0;  // time of the scopes that ended inside the open one
  Open open_;
};

// Records the time until the end of the scope, less what scopes inside it recorded: parts never
// count twice.
class Scope {
 public:
  Scope(Ledger& ledger, Activity activity)
      : ledger_(ledger),
        activity_(activity),
        begin_(ledger.latest_ = ledger.at_least_latest(now())),
        outer_inside_(std::exchange(ledger.inside_, 0)),
        outer_(std::exchange(ledger.open_.innermost, this)) {
    ledger_.open_.activity.store(activity, std::memory_order_relaxed);
  }
  ~Scope() {
    if (!ended_) end();
  }
  Time begin() const { return begin_; }
  Time end() {  // returns when
    ended_ = true;
    const Time end = ledger_.latest_ = ledger_.at_least_latest(now());
    const Time begin = begin_ + ledger_.inside_, other = std::min(other_, end - begin);
    ledger_.record(activity_, begin, end - other);
    if (other > 0) ledger_.record(other_activity_, end - other, end);
    ledger_.inside_ = outer_inside_ + (end - begin_);
    ledger_.open_.innermost = outer_;
    ledger_.open_.activity.store(outer_ ? outer_->activity_ : Activity::count,
                                 std::memory_order_relaxed);
    return end;
  }
  Time so_far() const { return ledger_.at_least_latest(now()) - begin_; }
  void book_as(Activity activity) { activity_ = activity; }
  // The last part of its time was something else.
  void ends_with(Activity activity, Time time) {
    other_activity_ = activity;
    other_ = time;
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  friend class Ledger;
  Ledger& ledger_;
  Activity activity_, other_activity_ = Activity::count;
  Time begin_, outer_inside_, other_ = 0;
  const Scope* outer_;
  bool ended_ = false;
};

template <class Visit>
void Ledger::each_open(Time now, Visit visit) const {
  Time end = now, inside = inside_;
  for (const Scope* scope = open_.innermost; scope; scope = scope->outer_) {
    const Time begin = scope->begin_ + inside;
    if (begin < end) visit(Event{begin, end, scope->activity_});
    end = scope->begin_;
    inside = scope->outer_inside_;
  }
}

// Of the user's loop that this thread runs (stoker::AccountScope); null: none.
inline Ledger*& loop_ledger() {
  static thread_local Ledger* ledger = nullptr;
  return ledger;
}
// Books the rest of a block there.
inline std::optional<Scope> book_in_loop(Activity activity) {
  if (!loop_ledger()) return std::nullopt;
  return std::optional<Scope>(std::in_place, *loop_ledger(), activity);
}

}  // namespace stoker::ledger
