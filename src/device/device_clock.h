#pragma once
#include <atomic>
#include <vector>

#include "device/device.h"
#include "ledger/run_facts.h"

namespace stoker::device {

// Measures when a device with its own clock was busy and what it waited for, by tickets around the
// runs of a step. Of short runs only a sample is measured and extrapolated, so that the overhead
// stays below 1 %.
class DeviceClock {
 public:
  static inline std::atomic<bool> enabled = true;  // a benchmark of its cost switches it off

  // `ledger` records what the host did while the device was idle.
  explicit DeviceClock(const ledger::Ledger& ledger) : ledger_(ledger) {}

  void before_run(const Device& device, StokerTicket inputs);
  void after_run();
  void settled();  // the host has waited: all runs are done

  // Up to a time of the host's clock. Nothing if the device has no clock.
  std::optional<ledger::DeviceTime> until(ledger::Time end) const;
  uint64_t marks() const { return marks_; }

 private:
  struct Run {
    StokerTicket previous_end = 0, begin = 0, inputs = 0, end = 0;
    ledger::Time launched = 0;
  };
  StokerTicket mark();
  std::optional<ledger::Time> elapsed(StokerTicket from, StokerTicket to) const;
  void read(const Run& run);
  void read_finished();
  void choose_stride(ledger::Time run);

  const ledger::Ledger& ledger_;
  std::optional<Device> device_;
  std::vector<Run> under_way_;
  Run current_;
  bool measures_ = false, running_ = false, thinned_ = false;
  int64_t runs_ = 0, stride_ = 1;
  uint64_t marks_ = 0;
  StokerTicket last_end_ = 0;   // of the previous run; 0: not measured
  ledger::DeviceTime sampled_;  // of the measured runs, while runs were in flight
  ledger::DeviceTime between_;  // from when all runs were done to the start of the next one
  ledger::Time sampled_span_ = 0, span_ = 0, began_ = 0;
  std::optional<ledger::Time> settled_;
};

}  // namespace stoker::device
