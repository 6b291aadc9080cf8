#pragma once
#include "device/device.h"
#include "ledger/run_facts.h"
#include "observe/cgroup.h"
#include "observe/sample.h"

namespace stoker::nn {

// Other load on the cores and the GPU of a run, from /proc, the cgroup and NVML. Reading it takes a
// millisecond, so short runs are not monitored.
class LoadWatch {
 public:
  static constexpr ledger::Time worth_watching = 500'000'000;
  // Starts monitoring once a run has lasted long enough.
  void look(ledger::Time since_begin) {
    if (!first_ && since_begin >= worth_watching) begin();
  }
  ledger::HostLoad load(ledger::Time wall) const;  // scaled to the whole run

 private:
  struct Counters {
    ledger::Time time = 0;
    double cpu_seconds = 0;
    std::vector<observe::ThreadSample> threads;
    observe::Cgroup cgroup;
  };
  static Counters read();
  static double wait_of_the_busiest(const Counters& first, const Counters& last);
  static std::optional<double> stopped_share(const Counters& first, const Counters& last);
  void begin() { first_ = read(); }
  std::optional<Counters> first_;
};

// Other processes on a GPU, and their share of its time.
void add_gpu_users(const device::Device& device, ledger::HostLoad& load);

}  // namespace stoker::nn
