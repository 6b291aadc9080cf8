#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace stoker::observe {

// The limits of a process's cgroups, version 1 or 2; the tightest one of all parents.
struct Cgroup {
  std::optional<double> cores;                       // the quota
  std::optional<double> throttled_seconds;           // so far, by the quota, of all cores together
  std::optional<double> periods, throttled_periods;  // so far; in the latter the quota was used up
  std::optional<double> memory_limit, memory_used;
};
Cgroup cgroup_of(int64_t pid, const std::string& root);

}  // namespace stoker::observe
