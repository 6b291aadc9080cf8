#pragma once
#include <map>
#include <string>
#include <vector>

#include "observe/sample.h"

namespace stoker::observe {

// A thread's activity between the first and the last sample that contain it.
struct ThreadUse {
  std::string name;
  double seconds = 0;  // observed
  double cpu = 0;      // seconds on a core
  double waiting = 0;  // seconds runnable without a core
  int samples = 0;
  int in_storage = 0;  // samples in state D

  double busy_share() const;  // fraction of the time running or runnable
  double cpu_share() const { return seconds > 0 ? cpu / seconds : 0; }
  double wait_share() const { return seconds > 0 ? waiting / seconds : 0; }
  double storage_share() const { return samples > 0 ? double(in_storage) / samples : 0; }
};

struct ProcessUse {
  int64_t pid = 0, parent = 0;
  std::string name, command;
  std::map<int64_t, ThreadUse> threads;
  double seconds = 0, read_bytes = 0, major_faults = 0;
  bool read_bytes_known = false;
  std::vector<int64_t> gpu_files;

  double cpu_seconds() const;
  double busy_share() const;     // of its busiest thread
  double storage_share() const;  // of its thread that was in state D most often
  double wait_share() const;     // of its busiest thread
  const ThreadUse& busiest() const;
};

// In tree order: a process comes after its parent.
std::vector<ProcessUse> usage_of(const std::vector<Sample>& samples);

// The slope of a quantity that grows steadily, in bytes per second; 0: it does not.
double steady_growth(const std::vector<double>& times, const std::vector<double>& values);

}  // namespace stoker::observe
