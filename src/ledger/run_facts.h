#pragma once
#include <optional>

#include "ledger/ledger.h"
#include "stoker/account.h"
#include "stoker/pipeline_statistics.h"

namespace stoker::ledger {

// The activity of a device with its own clock: `idle` by the host's activity during it. The sum is
// the wall time.
struct DeviceTime {
  Time busy = 0, copies = 0;  // copies: it waited for its input to arrive
  Times idle{};
  Time launch = 0;  // idle while the host prepared or launched the next step
};

// How often the process had to wait for its cores during the run.
struct HostLoad {
  double cores = 0;
  double cpu_seconds = 0;                        // used by all threads together
  std::optional<double> throttled, core_wait;    // seconds: by the cgroup's quota; ready, no core
  std::optional<double> gpu_others, gpu_shared;  // other processes on the GPU; their share of it
};

// Step times for other batch sizes and precisions: measured by a short trial.
struct Probe {
  struct Size {
    int64_t batch;
    double seconds;  // of a step
  };
  std::vector<Size> sizes;  // ascending
  // Seconds of an unchanged step; 0: not tried.
  double bfloat16 = 0;            // with mixed_bfloat16
  double replayed = 0;            // from batches in host memory, as after a cache
  double without_host_calls = 0;  // without user functions inside the step
  int64_t largest_batch = 0;      // that fits into memory; 0: unknown
};

// Where to make changes, for messages: "train.cpp:41", or the key of a recipe.
struct Places {
  std::string fit, batch_size, checkpoint, callback, host_function, policy;
  std::string input;          // of all stages; "": each has its own
  std::string callback_name;  // of the one that took the most time
};

// The other processes of a training.
struct Ranks {
  int64_t count = 1;
  // Fractions of the steps' time: inside sums over all ranks, and of that until the last rank had
  // arrived.
  Time communication = 0, imbalance = 0;
  int32_t late = -1;  // the one that the others waited for most; -1: none
  Time for_late = 0;  // how long they waited for it, all together
};

// All facts about a run that has ended, or about a running one so far.
struct RunFacts {
  std::string run = "fit", device, device_name;
  bool on_host = true;  // its kernels run on the host's cores
  Time wall = 0;
  Times host{};                        // by the training thread's activity
  Time wall_before = 0;                // the part before the first step
  Times host_before{};                 // likewise
  std::optional<DeviceTime> measured;  // by the device's clock
  uint64_t stamps = 0, marks = 0;      // number of time stamps taken, of the host and the device
  int64_t steps = 0, samples = 0, batch_size = 0;
  double samples_per_second = 0;
  int64_t late_compiles = 0;  // after the first step
  int64_t batch_hooks = 0;    // calls of callbacks' batch hooks
  int64_t checkpoints = 0;    // saved by callbacks
  int64_t calls = 0;          // kernels per step; in a user-defined loop, programs run per step
  double matmul_share = 0;
  Account::Work work;
  bool float16 = false;  // what the model computes in
  PipelineStatistics input;
  HostLoad load;
  Ranks ranks;
  Probe probe;
  Places places;
  int64_t memory_used = 0, memory = 0;
};

// Of the wall time from the first step on, without validation.
double samples_per_second(const RunFacts& facts);

}  // namespace stoker::ledger
