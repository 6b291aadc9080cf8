#include "observe/gpu_users.h"

#include <algorithm>
#include <charconv>

#include "observe/proc.h"

namespace stoker::observe {
namespace {

bool lists(const GpuSample& gpu, int64_t pid) {
  return std::ranges::find(gpu.processes, pid, &GpuProcess::pid) != gpu.processes.end();
}

// An entry of CUDA_VISIBLE_DEVICES as a position in NVML's list; -1: it is none.
int64_t position_of(std::string entry, const std::vector<Nvml::Facts>& gpus) {
  entry.erase(0, entry.find_first_not_of(' '));
  int64_t number = -1;
  const char* const end = entry.data() + entry.size();
  if (std::from_chars(entry.data(), end, number).ptr == end && !entry.empty()) return number;
  const auto named = [&](const Nvml::Facts& gpu) { return gpu.uuid.starts_with(entry); };
  const auto found = std::ranges::find_if(gpus, named);
  return entry.empty() || found == gpus.end() ? -1 : found->index;
}

int64_t position_of(int64_t index, const char* visible, const std::vector<Nvml::Facts>& gpus) {
  if (!visible) return index;
  const std::vector<std::string> entries = split(visible, ',');
  return index < static_cast<int64_t>(entries.size())
             ? position_of(entries[static_cast<size_t>(index)], gpus)
             : -1;
}

}  // namespace

const GpuSample* gpu_of(const std::vector<GpuSample>& samples, const std::vector<Nvml::Facts>& gpus,
                        int64_t own, const char* visible, int64_t index) {
  const auto is_listed = [own](const GpuSample& gpu) { return lists(gpu, own); };
  if (std::ranges::count_if(samples, is_listed) == 1)
    return &*std::ranges::find_if(samples, is_listed);
  const auto found =
      std::ranges::find(samples, position_of(index, visible, gpus), &GpuSample::index);
  return found == samples.end() ? nullptr : &*found;
}

bool has_open(const GpuProcess& process, const GpuSample& gpu) {
  const auto& files = process.gpu_files;
  return gpu.minor < 0 || files.empty() || std::ranges::find(files, gpu.minor) != files.end();
}

GpuUsers users_of(const GpuSample& gpu, int64_t own, const std::vector<GpuProcess>& open) {
  double active = 0, of_own = 0, of_others = 0;
  for (const GpuProcess& process : gpu.processes) {
    const double share = process.sm_share.value_or(0);
    (process.pid == own ? of_own : of_others) += share;
    active += process.pid != own && share > 0;
  }
  if (lists(gpu, own)) {
    if (of_own + of_others <= 0) return {active, std::nullopt};
    return {active, of_others / (of_own + of_others)};
  }
  // One of the processes that NVML knows by other PIDs is this one.
  const auto opened = static_cast<double>(
      std::ranges::count_if(open, [&](const auto& process) { return has_open(process, gpu); }));
  const double others = active > 0 ? active - 1 : opened;
  return {others, others / (1 + others)};
}

}  // namespace stoker::observe
