#pragma once
#include <limits>

#include "nn/profile/run_notes.h"

namespace stoker::nn {

// Enables a device's profiler for the requested steps. If the device refuses, that is noted and
// training continues.
class ProfileWindow {
 public:
  ProfileWindow(const ledger::Ledger& ledger, ProfiledSteps& out) : ledger_(ledger), out_(out) {}
  ~ProfileWindow();
  ProfileWindow(const ProfileWindow&) = delete;
  ProfileWindow& operator=(const ProfileWindow&) = delete;

  // How many steps may be launched together after `done` steps without crossing an edge of the
  // window.
  int64_t most(int64_t done) const;
  bool starts_at(int64_t step) const { return !on_ && !refused_ && is_inside(step); }
  void start(const device::Device& device);  // the device must be idle
  void hands_over(int64_t step);
  // After a step of the window, or when steps pause; waits for the device at the window's end.
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
