#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "observe/figures.h"
#include "observe/usage.h"

namespace stoker::observe {
namespace {

// Programs that start another one and wait for it.
bool is_launcher(std::string_view name) {
  constexpr std::array names = {"sh",   "bash",   "dash",  "zsh",    "fish",      "timeout",
                                "env",  "nice",   "nohup", "sudo",   "su",        "srun",
                                "time", "mpirun", "uv",    "conda",  "poetry",    "torchrun",
                                "tini", "setsid", "make",  "stdbuf", "accelerate"};
  return std::ranges::find(names, name) != names.end();
}

// Processes that Python and compilers start besides workers.
bool is_helper(const ProcessUse& process) {
  constexpr std::array words = {
      "resource_tracker", "semaphore_tracker", "compile_worker", "nvidia-smi", "ptxas",
      "forkserver",       "tensorboard",       "cc1plus"};
  return std::ranges::any_of(
      words, [&](const char* word) { return process.command.find(word) != std::string::npos; });
}

const ProcessUse* find(const std::vector<ProcessUse>& uses, int64_t pid) {
  const auto found = std::ranges::find(uses, pid, &ProcessUse::pid);
  return found == uses.end() ? nullptr : &*found;
}

// In an untrusted recording parents may form a cycle.
bool descends(const std::vector<ProcessUse>& uses, int64_t pid, int64_t from) {
  const ProcessUse* at = find(uses, pid);
  for (size_t steps = 0; at && steps < uses.size(); ++steps, at = find(uses, at->parent))
    if (at->parent == from) return true;
  return false;
}

std::set<int64_t> pids_on_gpus(const std::vector<Sample>& samples) {
  std::set<int64_t> pids;
  for (const Sample& sample : samples)
    for (const GpuSample& gpu : sample.gpus)
      for (const GpuProcess& process : gpu.processes) pids.insert(process.pid);
  return pids;
}

int64_t main_of(const std::vector<ProcessUse>& uses, const std::set<int64_t>& on_gpus,
                int64_t root) {
  for (const ProcessUse& use : uses)
    if (on_gpus.contains(use.pid)) return use.pid;
  for (const ProcessUse& use : uses)
    if (!use.gpu_files.empty()) return use.pid;
  int64_t at = root;
  for (size_t steps = 0; steps < uses.size(); ++steps) {
    const ProcessUse* use = find(uses, at);
    if (!use || !is_launcher(use->name)) break;
    const ProcessUse* child = nullptr;  // the busiest one
    for (const ProcessUse& other : uses)
      if (other.parent == at && (!child || other.cpu_seconds() > child->cpu_seconds()))
        child = &other;
    if (!child) break;
    at = child->pid;
  }
  return at;
}

// The GPU on which the process has most memory.
void find_gpu(Roles& roles, const std::vector<Sample>& samples, const ProcessUse* main) {
  double most = -1;
  for (const GpuSample& gpu : samples.back().gpus)
    for (const GpuProcess& process : gpu.processes)
      if (process.pid == roles.main) {
        ++roles.gpus_used;
        if (process.memory_bytes > most) roles.gpu = gpu.index, most = process.memory_bytes;
      }
  if (roles.gpus_used > 0 || !main) return;
  for (const GpuSample& gpu : samples.back().gpus) {
    if (std::ranges::find(main->gpu_files, gpu.minor) == main->gpu_files.end()) continue;
    roles.matched_by_files = true;
    // a program opens all GPUs that it may use; choose the one with most of its memory
    ++roles.gpus_used;
    if (gpu.memory_used > most) roles.gpu = gpu.index, most = gpu.memory_used;
  }
  if (roles.matched_by_files) roles.gpus_used = 1;
}

}  // namespace

Roles roles_of(const Recording& recording) {
  Roles roles;
  if (recording.samples.empty()) return roles;
  const auto uses = usage_of(recording.samples);
  const auto on_gpus = pids_on_gpus(recording.samples);
  roles.main = main_of(uses, on_gpus, recording.pid);
  const ProcessUse* main = find(uses, roles.main);
  const double length = recording.samples.back().time - recording.samples.front().time;
  for (const ProcessUse& use : uses)
    if (use.pid != roles.main && descends(uses, use.pid, roles.main) && !is_helper(use) &&
        !is_launcher(use.name) && !on_gpus.contains(use.pid) && use.seconds >= 0.4 * length)
      roles.workers.push_back(use.pid);
  find_gpu(roles, recording.samples, main);
  return roles;
}

}  // namespace stoker::observe
