#include "nn/profile/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

namespace stoker::nn {
namespace {

constexpr size_t shown_steps = 3, most_spans = 3000;

// A time interval and the steps in it.
struct Window {
  ledger::Time begin = 0, end = 0;
  int64_t first_step = 0, steps = 0;
};

// The index of each step's first call: a call with the name of the first one.
std::vector<size_t> first_calls(const std::vector<device::Span>& calls) {
  std::vector<size_t> first;
  for (size_t i = 0; i < calls.size(); ++i)
    if (calls[i].node == calls[0].node && calls[i].name == calls[0].name) first.push_back(i);
  return first;
}

// Begin and end of the profiled steps. A step lasts until the next one begins, or an epoch ends.
class StepTimes {
 public:
  explicit StepTimes(const ProfiledSteps& profile)
      : profile_(profile), first_(first_calls(profile.calls)) {}
  size_t size() const { return std::min(first_.size(), profile_.steps.size()); }
  ledger::Time begin(size_t i) const {
    return std::min(profile_.calls[first_[i]].begin, profile_.steps[i].handed_over);
  }
  ledger::Time end(size_t i) const {
    if (i + 1 < size() && !profile_.steps[i].then_paused) return begin(i + 1);
    return profile_.calls[i + 1 < size() ? first_[i + 1] - 1 : profile_.calls.size() - 1].end;
  }
  ledger::Time length(size_t i) const { return end(i) - begin(i); }

 private:
  const ProfiledSteps& profile_;
  std::vector<size_t> first_;
};

// The longest step with its neighbours.
Window longest_steps(const ProfiledSteps& profile) {
  const StepTimes times(profile);
  size_t worst = 0;
  for (size_t i = 1; i < times.size(); ++i)
    if (times.length(i) > times.length(worst)) worst = i;
  const size_t last = std::min(times.size(), std::max(worst + 2, shown_steps));
  const size_t from = last > shown_steps ? last - shown_steps : 0;
  return {times.begin(from), times.end(last - 1), profile.steps[from].number,
          static_cast<int64_t>(last - from)};
}

// Without a profile: the last steps that are still in the ledger, without what came after them.
Window last_steps(std::span<const ledger::Event> events, int64_t steps) {
  Window window;
  for (size_t i = events.size(); i-- > 0 && window.steps < static_cast<int64_t>(shown_steps);) {
    if (window.steps == 0 && events[i].activity != ledger::Activity::step) continue;
    if (window.steps == 0) window.end = events[i].end;
    window.begin = events[i].begin;
    if (events[i].activity == ledger::Activity::step) ++window.steps;
  }
  window.first_step = std::max<int64_t>(1, steps - window.steps + 1);
  return window;
}

class Spans {
 public:
  explicit Spans(const Window& window) : window_(window) {
    line_.first_step = window.first_step;
    line_.steps = window.steps;
  }
  void add(const std::string& lane, const std::string& name, ledger::Time begin, ledger::Time end) {
    if (end <= window_.begin || begin >= window_.end || end <= begin) return;
    if (line_.spans.size() == most_spans) {
      ++line_.left_out;
      return;
    }
    const auto seconds = [&](ledger::Time time) {
      return static_cast<double>(std::clamp(time, window_.begin, window_.end) - window_.begin) *
             1e-9;
    };
    line_.spans.push_back({lane, name, seconds(begin), seconds(end)});
  }
  RunRecord::Timeline take() { return std::move(line_); }

 private:
  Window window_;
  RunRecord::Timeline line_;
};

}  // namespace

RunRecord::Timeline timeline_of(const ledger::Ledger& ledger, const RunNotes& notes) {
  const std::vector<ledger::Event> events = ledger.latest();
  const bool profiled = !notes.profile.calls.empty() && !notes.profile.steps.empty();
  Spans spans(profiled ? longest_steps(notes.profile) : last_steps(events, notes.steps));
  for (const ledger::Event& event : profiled ? notes.profile.host : events)
    spans.add("host", name_of(event.activity), event.begin, event.end);
  std::map<std::thread::id, std::string> feeders;
  for (const data::CallSpan& call : notes.profile.feeders) {
    const std::string lane = fmt::format("feeder {}", feeders.size() + 1);
    spans.add(feeders.try_emplace(call.thread, lane).first->second, call.stage, call.begin,
              call.end);
  }
  for (const device::Span& call : notes.profile.calls)
    spans.add("device", call.name, call.begin, call.end);
  return spans.take();
}

}  // namespace stoker::nn
