#include "ledger/ledger.h"

#include <fmt/format.h>

#include <numeric>

namespace stoker::ledger {
namespace {

std::string seconds(Time time) {
  const double s = static_cast<double>(time) * 1e-9;
  return s >= 0.0995 ? fmt::format("{:.2f} s", s) : fmt::format("{:.2f} ms", s * 1e3);
}

}  // namespace

const char* name_of(Activity activity) {
  static const char* names[] = {"compile",   "input",      "step",       "host calls", "metrics",
                                "callbacks", "checkpoint", "validation", "outputs",    "setup"};
  return names[static_cast<size_t>(activity)];
}

void Ledger::start() {
  totals_.fill(0);
  before_.fill(0);
  counts_.fill(0);
  written_ = 0;
  compiled_before_ = 0;
  steps_begin_.reset();
  begin_ = end_ = latest_ = now();
  inside_ = 0;
}

void Ledger::begin_steps() {
  if (steps_begun()) return;
  steps_begin_ = latest_ = at_least_latest(now());
  before_ = totals_until(*steps_begin_);
  compiled_before_ = count(Activity::compile);
}

void Ledger::add(const Ledger& other) {
  for (size_t a = 0; a < num_activities; ++a) {
    totals_[a] += other.totals_[a];
    counts_[a] += other.counts_[a];
  }
}

Times Ledger::totals_until(Time now) const {
  Times totals = totals_;
  each_open(at_least_latest(now), [&](const Event& open) {
    totals[static_cast<size_t>(open.activity)] += open.end - open.begin;
  });
  return totals;
}

Time Ledger::unexplained() const {
  return wall() - std::accumulate(totals_.begin(), totals_.end(), Time{0});
}

std::vector<Event> Ledger::latest() const {
  std::vector<Event> events;
  for (uint64_t i = written_ > capacity ? written_ - capacity : 0; i < written_; ++i)
    events.push_back(ring_[i % capacity]);
  return events;
}

std::string line_of(Time wall, const Times& totals) {
  std::string text = seconds(wall) + " =";
  const char* separator = " ";
  for (size_t a = 0; a < num_activities; ++a) {
    if (totals[a] == 0) continue;
    text +=
        fmt::format("{}{} {}", separator, name_of(static_cast<Activity>(a)), seconds(totals[a]));
    separator = " + ";
  }
  const Time explained = std::accumulate(totals.begin(), totals.end(), Time{0});
  return text + fmt::format("{}unexplained {}", separator, seconds(wall - explained));
}

}  // namespace stoker::ledger
