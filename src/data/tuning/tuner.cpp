#include "data/tuning/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stoker::data {
namespace {

constexpr ledger::Time period_time = 100'000'000;  // at least, and at least so many elements
constexpr int64_t period_elements = 8;
constexpr double tolerated = 0.02;     // acceptable fraction of the time that the consumer waits
constexpr double noise = 0.02;         // smaller changes of the rate are noise
constexpr double headroom = 1.1;       // spare rate over the consumer's
constexpr int64_t rest = 50;           // periods to wait after a change without effect
constexpr int64_t quiet_periods = 50;  // periods without waiting before a reduction is tried
constexpr double cheap = 5e-6;         // acceptable seconds for handing over an element

double seconds(ledger::Time time) { return static_cast<double>(time) * 1e-9; }

}  // namespace

Tuner::Tuner(std::vector<Tuned> stages, int threads)
    : stages_(std::move(stages)),
      first_(stages_.size()),
      rests_(stages_.size()),
      before_(stages_.size()),
      threads_(threads) {
  for (size_t i = 0; i < stages_.size(); ++i) before_[i] = stages_[i].meter->elements();
}

void Tuner::taken(ledger::Time waited) {
  const ledger::Time now = ledger::now();
  if (taken_++ == 0) {  // the start-up says nothing about the rate
    begun_ = period_began_ = now;
    stalled_before_ = stalled_seconds();
    return;
  }
  waited_ += waited;
  const ledger::Time time = now - period_began_;
  if (++in_period_ < period_elements || time < period_time) return;
  const auto elements = static_cast<double>(in_period_);
  const double stalled = stalled_seconds() - std::exchange(stalled_before_, stalled_seconds());
  decide({.rate = elements / seconds(time),
          .waited = seconds(waited_) / seconds(time),
          .stalled = stalled / seconds(time),
          .possible = elements / std::max(seconds(time - waited_), 1e-9)});
  period_began_ = now;
  in_period_ = waited_ = 0;
  ++periods_;
}

void Tuner::decide(const Period& period) {
  for (size_t i = 0; i < stages_.size(); ++i)
    if (first_[i] == 0) first_[i] = setting(i).value;
  if (trial_) return judge(period);
  quiet_ = period.waited < tolerated ? quiet_ + 1 : 0;
  if (quiet_ >= quiet_periods) return less();
  if (quiet_ > 0) return;
  if (const auto next = more(period)) {
    if (next->value == 1) setting(next->stage).tried_one = true;
    trial_ = Trial{next->stage, setting(next->stage).value, period.rate, period.stalled};
    change(*next);
  }
}

// In the first period after a change some elements were still made before it. On a machine with
// other load, the rate is less reliable than whether threads were idle.
void Tuner::judge(const Period& period) {
  if (!std::exchange(trial_->settled, true)) return;
  const Trial trial = *std::exchange(trial_, std::nullopt);
  const bool grew = setting(trial.stage).value > trial.before;
  const double gain = period.rate / trial.rate - 1;
  const bool compared = trial.rate > 0,  // otherwise it only has to suffice
      gained = gain >= noise || (grew && trial.stalled - period.stalled >= noise);
  if (period.waited < tolerated || (compared && gained)) return;
  rests_[trial.stage] = periods_ + rest;
  change({trial.stage, trial.before,
          compared ? fmt::format("the rate changed by {:+.1f} %, which is no gain beyond noise",
                                 gain * 100)
                   : fmt::format("the consumer waited {:.0f} % of the time", period.waited * 100)});
}

bool Tuner::may_grow(size_t stage) const {
  const Setting& has = setting(stage);
  if (has.tried_one && has.value == 1 && is_cheap(stage)) return false;
  return has.automatic() && has.value < has.most && rests_[stage] <= periods_;
}

bool Tuner::is_cheap(size_t stage) const {
  const Meter& meter = *stages_[stage].meter;
  return meter.inline_at_one && meter.elements() > before_[stage] &&
         meter.seconds_per_element() < cheap;
}

double Tuner::work_per_taken(size_t stage) const {
  const Meter& meter = *stages_[stage].meter;
  return meter.seconds_per_element() * static_cast<double>(meter.elements() - before_[stage]) /
         static_cast<double>(taken_);
}

double Tuner::stalled_seconds() const {
  double sum = 0;
  for (const Tuned& stage : stages_) sum += stage.meter->stalled_seconds();
  return sum;
}

std::optional<Tuner::Candidate> Tuner::more(const Period& period) const {
  if (auto one = one_call()) return one;
  if (auto calls = more_calls(period)) return calls;
  return keeps_up(period) ? more_ahead(period) : std::nullopt;
}

// For a function that takes no longer than handing an element to another thread.
std::optional<Tuner::Candidate> Tuner::one_call() const {
  for (size_t i = 0; i < stages_.size(); ++i)
    if (!setting(i).tried_one && setting(i).automatic() && setting(i).value > 1 && is_cheap(i))
      return Candidate{i, 1,
                       fmt::format("an element takes {:.1f} us, about what it costs to hand it to "
                                   "another thread",
                                   1e6 * stages_[i].meter->seconds_per_element())};
  return std::nullopt;
}

bool Tuner::keeps_up(const Period& period) const {
  double shared = 0;
  for (size_t i = 0; i < stages_.size(); ++i) {
    const double work = work_per_taken(i) * period.possible;
    if (stages_[i].meter->parallel)
      shared += work;
    else if (work > 1)
      return false;
  }
  return shared <= threads_;
}

// Of the stages with concurrent calls, the one with the lowest throughput.
std::optional<Tuner::Candidate> Tuner::more_calls(const Period& period) const {
  std::optional<size_t> slowest;
  double least = headroom * period.possible;
  for (size_t i = 0; i < stages_.size(); ++i) {
    if (!may_grow(i) || work_per_taken(i) <= 0) continue;
    const auto calls = static_cast<double>(std::min<int64_t>(setting(i).value, threads_));
    if (calls / work_per_taken(i) >= least) continue;
    least = calls / work_per_taken(i);
    slowest = i;
  }
  if (!slowest) return std::nullopt;
  const Setting& has = setting(*slowest);
  const int64_t most = std::min<int64_t>(has.most, 4 * has.value);
  const double wanted = std::ceil(headroom * period.possible * work_per_taken(*slowest));
  const auto bounded = static_cast<int64_t>(std::min(wanted, static_cast<double>(most)));
  return Candidate{*slowest, std::clamp<int64_t>(bounded, has.value + 1, has.most),
                   fmt::format("the consumer waited {:.0f} % of the time; it makes at most {:.0f} "
                               "a second, {:.0f} could be taken",
                               period.waited * 100, least, period.possible)};
}

// Elements are made fast enough, but at irregular intervals: enlarge the buffer that was empty, the
// last one.
std::optional<Tuner::Candidate> Tuner::more_ahead(const Period& period) const {
  for (size_t i = stages_.size(); i-- > 0;)
    if (may_grow(i))
      return Candidate{i, std::min<int64_t>(2 * setting(i).value, setting(i).most),
                       fmt::format("the consumer waited {:.0f} % of the time for elements that are "
                                   "not always there",
                                   period.waited * 100)};
  return std::nullopt;
}

void Tuner::less() {
  quiet_ = 0;
  for (size_t i = 0; i < stages_.size(); ++i) {
    const int64_t value = setting(i).value;
    if (!setting(i).automatic() || value <= first_[i] || rests_[i] > periods_) continue;
    trial_ = Trial{i, value, 0, 0};
    return change({i, value - 1, "the consumer has not waited for a long time"});
  }
}

void Tuner::change(const Candidate& to) {
  Setting& has = setting(to.stage);
  decisions_.push_back({.seconds = seconds(ledger::now() - begun_),
                        .stage = stages_[to.stage].stage,
                        .setting = has.what.load(),
                        .from = has.value,
                        .to = to.value,
                        .why = to.why});
  has.value = to.value;
}

}  // namespace stoker::data
