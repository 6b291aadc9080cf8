#include "nn/profile/profile_window.h"

#include <algorithm>

#include "stoker/error.h"

namespace stoker::nn {

ProfileWindow::~ProfileWindow() {
  if (!on_) return;
  data::stop_call_trace();
  try {
    device::stop_profile(device_);
  } catch (const Error&) {  // the device has failed, and the profile is lost
  }
}

int64_t ProfileWindow::most(int64_t done) const {
  const int64_t next = done + 1;
  if (refused_ || next > out_.asked.to) return std::numeric_limits<int64_t>::max();
  return next < out_.asked.from ? out_.asked.from - next : 1;
}

void ProfileWindow::start(const device::Device& device) {
  device_ = device;
  try {
    device::start_profile(device);
  } catch (const Unsupported& error) {
    refused_ = true;
    out_.note = error.message();
    return;
  }
  on_ = true;
  data::start_call_trace();
  started_ = ledger::now();
  if (out_.begin == 0) out_.begin = started_;
}

void ProfileWindow::hands_over(int64_t step) {
  if (on_) out_.steps.push_back({step, ledger::now()});
}

void ProfileWindow::pause_after(int64_t step) {
  if (step >= out_.asked.to) pause();
}

void ProfileWindow::pause() {
  if (!on_) return;
  on_ = false;
  if (!out_.steps.empty()) out_.steps.back().then_paused = true;
  device::stop_profile(device_);
  take_calls();
}

// A device with its own clock starts it at 0.
void ProfileWindow::take_calls() {
  const ledger::Time offset = device_.is_host() ? 0 : started_;
  for (device::Span& span : device::read_profile(device_)) {
    span.begin += offset;
    span.end += offset;
    out_.calls.push_back(std::move(span));
  }
  out_.dropped += device::dropped_calls(device_);
  const ledger::Time last = out_.calls.empty() ? 0 : out_.calls.back().end;
  out_.end = std::max(ledger::now(), last);
  out_.measured += out_.end - started_;
  take_host_events();
  for (data::CallSpan& span : data::stop_call_trace()) out_.feeders.push_back(std::move(span));
}

// Before the ledger's ring buffer overwrites them; including those between two epochs.
void ProfileWindow::take_host_events() {
  const ledger::Time known = out_.host.empty() ? started_ : out_.host.back().end;
  for (const ledger::Event& event : ledger_.latest())
    if (event.end > known) out_.host.push_back(event);
}

}  // namespace stoker::nn
