#include "nn/profile/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

namespace stoker::nn {
namespace {

constexpr size_t shown_steps = 3, most_spans = 3000;

// From when to when, and the steps in between.
struct Window {
  ledger::Time begin = 0, end = 0;
  int64_t first_step = 0, steps = 0;
};

// Where in the calls each step begins: with the call that was the first of all.
std::vector<size_t> first_calls(const std::vector<device::Span>& calls) {
  std::vector<size_t> first;
  for (size_t i = 0; i < calls.size(); ++i)
    if (calls[i].node == calls[0].node && calls[i].name == calls[0].name) first.push_back(i);
  return first;
}

// The longest step with those beside it. A step lasts until the next begins.
Window longest_steps(const ProfiledSteps& profile) {
  const auto& calls = profile.calls;
  const std::vector<size_t> first = first_calls(calls);
  const size_t steps = std::min(first.size(), profile.steps.size());
  const auto begin = [&](size_t i) {
    return i < steps ? std::min(calls[first[i]].begin, profile.steps[i].handed_over)
                     : calls.back().end;
  };
  size_t worst = 0;
  for (size_t i = 1; i < steps; ++i)
    if (begin(i + 1) - begin(i) > begin(worst + 1) - begin(worst)) worst = i;
  const size_t last = std::min(steps, std::max(worst + 2, shown_steps));
  const size_t from = last > shown_steps ? last - shown_steps : 0;
  return {begin(from), begin(last), profile.steps[from].number, static_cast<int64_t>(last - from)};
}

// Without a profile: the last steps, as far as the ledger still has them.
Window last_steps(std::span<const ledger::Event> events, int64_t steps) {
  Window window;
  for (size_t i = events.size(); i-- > 0 && window.steps < static_cast<int64_t>(shown_steps);) {
    if (window.end == 0) window.end = events[i].end;
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

RunRecord::Timeline timeline_of(const ledger::Ledger& ledger, const RunFacts& facts) {
  const std::vector<ledger::Event> events = ledger.latest();
  const bool profiled = !facts.profile.calls.empty() && !facts.profile.steps.empty();
  Spans spans(profiled ? longest_steps(facts.profile) : last_steps(events, facts.steps));
  for (const ledger::Event& event : profiled ? facts.profile.host : events)
    spans.add("host", name_of(event.activity), event.begin, event.end);
  std::map<std::thread::id, std::string> feeders;
  for (const data::CallSpan& call : facts.profile.feeders) {
    const std::string lane = fmt::format("feeder {}", feeders.size() + 1);
    spans.add(feeders.try_emplace(call.thread, lane).first->second, call.stage, call.begin,
              call.end);
  }
  for (const device::Span& call : facts.profile.calls)
    spans.add("device", call.name, call.begin, call.end);
  return spans.take();
}

}  // namespace stoker::nn
