#include "device/device_clock.h"

#include <algorithm>

#include "device/transfer.h"

namespace stoker::device {
namespace {

using ledger::DeviceTime;
using ledger::Time;

constexpr Time cost = 10'000;  // of measuring one run, in nanoseconds
constexpr int64_t most_stride = 64;
// run_program allows two earlier runs in flight.
constexpr size_t may_be_under_way = 3;

// Attributes the time that a device was idle to the host's activity during it, and the rest to
// launch overhead.
void add_idle(const ledger::Ledger& ledger, Time begin, Time end, DeviceTime& to) {
  Time left = std::max<Time>(end - begin, 0);
  ledger.since(begin, [&](const ledger::Event& event) {
    const Time time = std::min(event.end, end) - std::max(event.begin, begin);
    const Time booked = std::clamp<Time>(time, 0, left);
    to.idle[static_cast<size_t>(event.activity)] += booked;
    left -= booked;
  });
  to.launch += left;
}

Time scaled(Time time, double by) { return static_cast<Time>(static_cast<double>(time) * by); }

void add_scaled(const DeviceTime& more, double by, DeviceTime& to) {
  to.busy += scaled(more.busy, by);
  to.copies += scaled(more.copies, by);
  to.launch += scaled(more.launch, by);
  for (size_t a = 0; a < ledger::num_activities; ++a) to.idle[a] += scaled(more.idle[a], by);
}

}  // namespace

StokerTicket DeviceClock::mark() {
  ++marks_;
  return device::mark(*device_);
}

// Nothing for a ticket whose event has already been reused.
std::optional<Time> DeviceClock::elapsed(StokerTicket from, StokerTicket to) const {
  Time time = 0;
  if (device_->table().elapsed(device_->index, from, to, &time) != 0) return std::nullopt;
  return time;
}

void DeviceClock::before_run(const Device& device, StokerTicket inputs) {
  if (!device.table().elapsed || !enabled) return;
  device_ = device;
  const Time now = ledger::now();
  if (!running_) {
    add_idle(ledger_, settled_.value_or(ledger_.begun()), now, between_);
    began_ = now;
    last_end_ = 0;
  }
  running_ = true;
  measures_ = runs_++ % stride_ == 0;
  if (!measures_) return;
  current_ = {.previous_end = last_end_, .begin = mark(), .inputs = inputs, .launched = now};
}

void DeviceClock::after_run() {
  if (!device_ || !running_) return;
  last_end_ = 0;
  if (measures_ || runs_ % stride_ == 0) last_end_ = mark();
  if (!measures_) return;
  current_.end = last_end_;
  under_way_.push_back(current_);
  if (under_way_.size() > may_be_under_way) read_finished();
}

void DeviceClock::read_finished() {
  read(under_way_.front());
  under_way_.erase(under_way_.begin());
}

void DeviceClock::read(const Run& run) {
  const auto took = elapsed(run.begin, run.end);
  if (!took) return;
  const auto gap = run.previous_end != 0 ? elapsed(run.previous_end, run.begin) : std::nullopt;
  const Time idle = std::max<Time>(gap.value_or(0), 0), all = std::max<Time>(*took, 0);
  add_idle(ledger_, run.launched - idle, run.launched, sampled_);
  const Time late = run.inputs != 0 ? elapsed(run.begin, run.inputs).value_or(0) : 0;
  const Time copies = std::clamp<Time>(late, 0, all);
  sampled_.copies += copies;
  sampled_.busy += all - copies;
  sampled_span_ += idle + all;
  choose_stride(idle + all);
}

void DeviceClock::choose_stride(Time run) {
  stride_ = std::clamp<int64_t>(100 * cost / std::max<Time>(run, 1), 1, most_stride);
  if (stride_ > 1) thinned_ = true;
}

void DeviceClock::settled() {
  if (!running_) return;
  while (!under_way_.empty()) read_finished();
  const Time now = ledger::now();
  span_ += now - began_;
  settled_ = now;
  running_ = false;
}

std::optional<DeviceTime> DeviceClock::until(Time end) const {
  if (!device_) return std::nullopt;
  DeviceTime time = between_;
  const Time span = span_ + (running_ ? end - began_ : 0);
  const bool all = !thinned_ && sampled_span_ <= span;
  add_scaled(sampled_,
             all || sampled_span_ == 0
                 ? 1
                 : static_cast<double>(span) / static_cast<double>(sampled_span_),
             time);
  if (all) time.launch += std::max<Time>(span - sampled_span_, 0);
  if (!running_) add_idle(ledger_, settled_.value_or(ledger_.begun()), end, time);
  return time;
}

}  // namespace stoker::device
