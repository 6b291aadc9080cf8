#pragma once
#include <limits>

#include "nn/profile/run_notes.h"

namespace stoker::nn {

// Turns a device's profile on for the steps that were asked for, and off behind them. What a device
// refuses is noted, and training goes on without.
class ProfileWindow {
 public:
  ProfileWindow(const ledger::Ledger& ledger, ProfiledSteps& out) : ledger_(ledger), out_(out) {}
  ~ProfileWindow();
  ProfileWindow(const ProfileWindow&) = delete;
  ProfileWindow& operator=(const ProfileWindow&) = delete;

  // Steps that may run together after so many of this fit: none of them crosses an edge.
  int64_t most(int64_t done) const;
  bool starts_at(int64_t step) const { return !on_ && !refused_ && is_inside(step); }
  void start(const device::Device& device);  // which has nothing to do
  void hands_over(int64_t step);
  // After a step of the window, or where steps pause; waits for the device at its end.
  void pause_after(int64_t step);
  void pause();

 private:
  bool is_inside(int64_t step) const { return out_.asked.from <= step && step <= out_.asked.to; }
  void take_calls();
  void take_host_events();

  const ledger::Ledger& ledger_;
  ProfiledSteps& out_;
  device::Device device_;
  bool on_ = false, refused_ = false;
  ledger::Time started_ = 0;
};

}  // namespace stoker::nn
