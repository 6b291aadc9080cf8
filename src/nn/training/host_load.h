#pragma once
#include "device/device.h"
#include "ledger/run_facts.h"

namespace stoker::nn {

// What keeps a run from its cores and its GPU, from /proc, the control group and NVML. Reading it
// takes a millisecond: short runs are not watched.
class LoadWatch {
 public:
  static constexpr ledger::Time worth_watching = 500'000'000;
  // Begins to watch once a run has gone on for long enough.
  void look(ledger::Time since_begin) {
    if (!first_ && since_begin >= worth_watching) begin();
  }
  ledger::HostLoad load(ledger::Time wall) const;  // scaled to the whole run

 private:
  struct Counters {
    ledger::Time time = 0;
    double cpu_seconds = 0, wait_seconds = 0;  // wait: of the thread that waits the most for cores
    std::optional<double> throttled_seconds;
  };
  static Counters read();
  void begin() { first_ = read(); }
  std::optional<Counters> first_;
};

// Other processes on a GPU, and their share of its time.
void add_gpu_users(const device::Device& device, ledger::HostLoad& load);

}  // namespace stoker::nn
