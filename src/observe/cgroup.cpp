#include "observe/cgroup.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "observe/proc.h"

namespace stoker::observe {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const std::string& path) {
  const std::string text = read_text(path);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value);  // "max": none
}

std::optional<double> value_in(const std::string& path, const std::string& key) {
  std::optional<double> found;
  for_each_line(read_text(path), [&](const std::string& line) {
    if (line.starts_with(key + " ")) found = std::strtod(line.c_str() + key.size(), nullptr);
  });
  return found;
}

// The group's folder and its parents. In a container the path may refer to another root: then only
// the mount itself exists.
std::vector<fs::path> upwards(const fs::path& mount, const std::string& path) {
  std::vector<fs::path> folders;
  for (fs::path at = fs::path(path).relative_path();; at = at.parent_path()) {
    std::error_code ignored;
    if (fs::is_directory(mount / at, ignored)) folders.push_back(mount / at);
    if (at.empty()) return folders;
  }
}

void take_smaller(std::optional<double>& to, std::optional<double> from) {
  if (from && (!to || *from < *to)) to = from;
}

// Without the pages of files: the kernel takes these back before it kills anything.
std::optional<double> memory_used(const fs::path& usage, const fs::path& folder) {
  const auto all = number_in(usage);
  if (!all) return all;
  const std::string stat = folder / "memory.stat";
  const double files =
      value_in(stat, "inactive_file").value_or(0) + value_in(stat, "active_file").value_or(0);
  return std::max(0.0, *all - files);
}

// name: the time that cores were stopped, whose unit depends on the version.
void read_throttling(Cgroup& group, const fs::path& stat, const char* name, double unit) {
  const auto stopped = value_in(stat, name);
  if (group.throttled_seconds || !stopped) return;
  group.throttled_seconds = *stopped * unit;
  group.periods = value_in(stat, "nr_periods");
  group.throttled_periods = value_in(stat, "nr_throttled");
}

void read_unified(Cgroup& group, const fs::path& folder) {
  double quota = 0, period = 0;
  if (std::istringstream(read_text(folder / "cpu.max")) >> quota >> period && period > 0) {
    take_smaller(group.cores, quota / period);
    read_throttling(group, folder / "cpu.stat", "throttled_usec", 1e-6);
  }
  if (const auto limit = number_in(folder / "memory.max");
      limit && (!group.memory_limit || *limit < *group.memory_limit)) {
    group.memory_limit = limit;
    group.memory_used = memory_used(folder / "memory.current", folder);
  }
}

void read_cpu_v1(Cgroup& group, const fs::path& folder) {
  const auto quota = number_in(folder / "cpu.cfs_quota_us"),
             period = number_in(folder / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return;
  take_smaller(group.cores, *quota / *period);
  read_throttling(group, folder / "cpu.stat", "throttled_time", 1e-9);
}

void read_memory_v1(Cgroup& group, const fs::path& folder) {
  constexpr double none = 1e18;  // version 1's value for no limit is near 2^63
  const auto limit = number_in(folder / "memory.limit_in_bytes");
  if (!limit || *limit > none || (group.memory_limit && *group.memory_limit <= *limit)) return;
  group.memory_limit = limit;
  group.memory_used = memory_used(folder / "memory.usage_in_bytes", folder);
}

bool lists(const std::string& controllers, const std::string& name) {
  const auto all = split(controllers, ',');
  return std::find(all.begin(), all.end(), name) != all.end();
}

}  // namespace

Cgroup cgroup_of(int64_t pid, const std::string& root) {
  Cgroup group;
  const fs::path mount = root + "/sys/fs/cgroup";
  for_each_line(read_text(fmt::format("{}/proc/{}/cgroup", root, pid)), [&](const std::string& s) {
    const size_t first = s.find(':'), second = s.find(':', first + 1);
    if (second == s.npos) return;
    const std::string controllers = s.substr(first + 1, second - first - 1);
    const std::string path = s.substr(second + 1);
    if (controllers.empty())
      for (const fs::path& folder : upwards(mount, path)) read_unified(group, folder);
    if (lists(controllers, "cpu"))
      for (const fs::path& folder : upwards(mount / "cpu", path)) read_cpu_v1(group, folder);
    if (lists(controllers, "memory"))
      for (const fs::path& folder : upwards(mount / "memory", path)) read_memory_v1(group, folder);
  });
  return group;
}

}  // namespace stoker::observe
