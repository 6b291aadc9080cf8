#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stoker/config.h"

// A snapshot of a process tree and the GPUs. Times and bytes are counters since the start of a
// thread, process or machine; figures.h takes differences.
namespace stoker::observe {

struct ThreadSample {
  int64_t tid = 0;
  std::string name;
  std::string state;        // R, S, D … as /proc has it
  double cpu_seconds = 0;   // in user and system mode
  double wait_seconds = 0;  // runnable, waiting for a core
};

struct ProcessSample {
  int64_t pid = 0, parent = 0;
  std::string name, command;
  std::vector<ThreadSample> threads;
  std::optional<double> read_bytes;  // from storage; absent if /proc/PID/io is not readable
  double resident_bytes = 0;
  double major_faults = 0;
  std::vector<int64_t> gpu_files;  // N of the open files /dev/nvidiaN
  int64_t files_hidden = 0;        // 1: another user's process, whose open files are not visible
};

struct GpuProcess {
  int64_t pid = 0;
  std::string name;
  double memory_bytes = 0;
  std::optional<double> sm_share;  // fraction of the time with a kernel of it
  std::vector<int64_t> gpu_files;  // of Sample::others: N of the open files /dev/nvidiaN
};

struct GpuSample {
  int64_t index = 0, minor = -1;  // minor: N of /dev/nvidiaN
  std::string name;
  std::optional<double> busy;  // fraction of the time with a kernel, as shown by nvidia-smi
  double memory_used = 0, memory_total = 0;
  std::optional<double> sm_clock, max_sm_clock;   // MHz
  std::optional<double> power, power_limit;       // watts
  std::optional<double> temperature;              // degrees Celsius
  std::vector<std::string> slowdowns;             // reasons for a reduced clock: thermal, power …
  std::optional<double> pcie_in, pcie_out;        // bytes/s to and from the GPU
  std::optional<double> pcie_limit;               // bytes/s of the link
  std::optional<double> sm_active, sm_occupancy;  // GPM: shares
  std::optional<double> tensor_active, dram_active;
  std::vector<GpuProcess> processes;
};

struct HostSample {
  double cores = 0;  // available to the process: affinity and cgroup quota
  double machine_cores = 0;
  double idle_seconds = 0;  // of all cores of the machine together
  double memory_available = 0, memory_total = 0;
  std::optional<double> memory_limit, memory_used;  // of the cgroup
  std::optional<double> throttled_seconds;          // by the cgroup's quota
  std::optional<double> network_bytes;              // received in the process's network namespace
};

struct Sample {
  double time = 0;  // seconds on a monotonic clock
  HostSample host;
  std::vector<ProcessSample> processes;  // the tree, its root first
  std::vector<GpuSample> gpus;
  std::vector<GpuProcess> others;  // processes outside the tree with open GPU files
};

// A series of samples, as written by `stoker why --record`.
struct Recording {
  static constexpr int64_t current_version = 1;
  int64_t version = current_version;
  int64_t pid = 0;
  std::string command;
  std::string no_gpu;  // why no GPU was observed; empty: some were
  std::string ended;   // why the observation ended early
  std::string expect;  // in test recordings: the expected first cause
  std::vector<Sample> samples;
};

Config to_config(const Recording& recording);
Recording to_recording(const Config& config, const std::string& name);  // throws InvalidArgument
Recording load_recording(const std::string& path);
void save_recording(const std::string& path, const Recording& recording);

}  // namespace stoker::observe
