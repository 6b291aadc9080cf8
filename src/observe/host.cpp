#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "observe/cgroup.h"
#include "observe/proc.h"

namespace stoker::observe {
namespace {

// "0-3,8" → 5
double count_list(const std::string& text) {
  double count = 0;
  for (const std::string& part : split(text, ',')) {
    const auto ends = split(part, '-');
    if (ends.empty()) continue;
    count += ends.size() == 1 ? 1 : std::stod(ends[1]) - std::stod(ends[0]) + 1;
  }
  return count;
}

double affinity(int64_t pid, const std::string& root) {
  double count = 0;
  for_each_line(read_text(fmt::format("{}/proc/{}/status", root, pid)), [&](const std::string& s) {
    constexpr std::string_view key = "Cpus_allowed_list:\t";
    if (s.starts_with(key)) count = count_list(s.substr(key.size()));
  });
  return count;
}

void read_stat(HostSample& host, const std::string& root) {
  for_each_line(read_text(root + "/proc/stat"), [&](const std::string& line) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0;
    words >> name >> user >> nice >> system >> idle >> iowait;
    if (name == "cpu")
      host.idle_seconds = (idle + iowait) / static_cast<double>(sysconf(_SC_CLK_TCK));
    else if (name.starts_with("cpu"))
      ++host.machine_cores;
  });
}

void read_memory(HostSample& host, const std::string& root) {
  for_each_line(read_text(root + "/proc/meminfo"), [&](const std::string& line) {
    std::istringstream words(line);
    std::string name;
    double kilobytes = 0;
    words >> name >> kilobytes;
    if (name == "MemTotal:") host.memory_total = 1024 * kilobytes;
    if (name == "MemAvailable:") host.memory_available = 1024 * kilobytes;
  });
}

std::optional<double> network_bytes(int64_t pid, const std::string& root) {
  std::optional<double> sum;
  for_each_line(read_text(fmt::format("{}/proc/{}/net/dev", root, pid)), [&](std::string line) {
    const size_t colon = line.find(':'), name = line.find_first_not_of(' ');
    if (colon == line.npos || line.substr(name, colon - name) == "lo") return;
    sum = sum.value_or(0) + std::strtod(line.c_str() + colon + 1, nullptr);
  });
  return sum;
}

}  // namespace

HostSample host_of(int64_t pid, const std::string& root) {
  HostSample host;
  read_stat(host, root);
  read_memory(host, root);
  const Cgroup cgroup = cgroup_of(pid, root);
  host.cores = affinity(pid, root);
  if (host.cores == 0) host.cores = host.machine_cores;
  if (cgroup.cores) host.cores = std::min(host.cores, *cgroup.cores);
  host.throttled_seconds = cgroup.throttled_seconds;
  host.memory_limit = cgroup.memory_limit;
  host.memory_used = cgroup.memory_used;
  host.network_bytes = network_bytes(pid, root);
  return host;
}

}  // namespace stoker::observe
