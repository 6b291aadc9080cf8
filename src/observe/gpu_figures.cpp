#include "observe/gpu_figures.h"

#include <algorithm>
#include <optional>
#include <set>

#include "observe/gpu_users.h"
#include "observe/usage.h"

namespace stoker::observe {
namespace {

using ledger::Figures;
using Unit = Figures::Unit;

struct Watched {
  std::vector<double> times;
  std::vector<const GpuSample*> samples;
};

Watched watched(const Recording& recording, int64_t index) {
  Watched all;
  for (const Sample& sample : recording.samples)
    for (const GpuSample& gpu : sample.gpus)
      if (gpu.index == index) all.times.push_back(sample.time), all.samples.push_back(&gpu);
  return all;
}

// The first sample's averages cover the time before the observation.
std::optional<double> mean(const Watched& gpu, std::optional<double> GpuSample::*field) {
  double sum = 0;
  int count = 0;
  for (size_t i = gpu.samples.size() > 2 ? 1 : 0; i < gpu.samples.size(); ++i)
    if (const auto& value = gpu.samples[i]->*field) sum += *value, ++count;
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

void add_work(Figures& figures, const Watched& gpu) {
  const auto set = [&](const char* name, std::optional<double> GpuSample::*field, Unit unit) {
    if (const auto value = mean(gpu, field)) figures.set(name, *value, unit);
  };
  set("gpu_busy", &GpuSample::busy, Unit::share);
  set("sm_active", &GpuSample::sm_active, Unit::share);
  set("sm_occupancy", &GpuSample::sm_occupancy, Unit::share);
  set("tensor_active", &GpuSample::tensor_active, Unit::share);
  set("dram_active", &GpuSample::dram_active, Unit::share);
  set("pcie_in", &GpuSample::pcie_in, Unit::bytes_per_second);
  set("pcie_out", &GpuSample::pcie_out, Unit::bytes_per_second);
  const auto busy = figures.find("gpu_busy"), active = figures.find("sm_active");
  // The fraction of multiprocessors that are active while a kernel runs.
  if (busy && active && *busy >= 0.02)
    figures.set("sm_fill", std::min(1.0, *active / *busy), Unit::share);
  const auto in = figures.find("pcie_in"), out = figures.find("pcie_out"),
             limit = mean(gpu, &GpuSample::pcie_limit);
  if (in && out) {
    figures.set("pcie_rate", std::max(*in, *out), Unit::bytes_per_second);
    if (limit && *limit > 0) figures.set("pcie_share", std::max(*in, *out) / *limit, Unit::share);
  }
}

bool is_slowed(const GpuSample& gpu) {
  return std::ranges::any_of(gpu.slowdowns, [&](const std::string& reason) {
    // A power limit that costs little is normal for a busy GPU.
    return reason != "power limit" ||
           (gpu.sm_clock && gpu.max_sm_clock && *gpu.sm_clock < 0.75 * *gpu.max_sm_clock);
  });
}

void add_clock(Figures& figures, const Watched& gpu) {
  const auto clock = mean(gpu, &GpuSample::sm_clock), most = mean(gpu, &GpuSample::max_sm_clock);
  if (clock && most && *most > 0) figures.set("gpu_clock", *clock / *most, Unit::share);
  double slowed = 0;
  for (const GpuSample* sample : gpu.samples) slowed += is_slowed(*sample);
  figures.set("gpu_throttled", slowed / static_cast<double>(gpu.samples.size()), Unit::share);
  if (const auto t = mean(gpu, &GpuSample::temperature))
    figures.set("gpu_temperature", *t, Unit::count);
}

void add_memory(Figures& figures, const Watched& gpu) {
  std::vector<double> used;
  for (const GpuSample* sample : gpu.samples) used.push_back(sample->memory_used);
  const double total = gpu.samples.back()->memory_total;
  if (total <= 0) return;
  figures.set("gpu_memory", used.back() / total, Unit::share);
  if (const double growth = steady_growth(gpu.times, used); growth > 0)
    figures.set("gpu_memory_full_in", (total - used.back()) / growth, Unit::seconds);
}

// NVML lists PIDs from outside the container, and the program itself is one of them. Where it does
// not tell which compute, those that have the GPU open count.
size_t hidden_others(const std::set<int64_t>& active, const std::set<int64_t>& listed,
                     const Watched& gpu, const Recording& recording) {
  if (!active.empty()) return active.size() - 1;
  const auto open = std::ranges::count_if(
      recording.samples.back().others,
      [&](const GpuProcess& other) { return has_open(other, *gpu.samples.back()); });
  return std::max(listed.empty() ? 0 : listed.size() - 1, static_cast<size_t>(open));
}

// Other processes on the GPU: from NVML's list or, if that has process ids from outside the
// container, by their open files.
void add_others(Figures& figures, const Watched& gpu, const Roles& roles,
                const Recording& recording) {
  std::set<int64_t> tree, listed, others, active;
  for (const Sample& sample : recording.samples)
    for (const ProcessSample& process : sample.processes) tree.insert(process.pid);
  double own = 0, foreign = 0;
  int shares = 0;
  for (const GpuSample* sample : gpu.samples) {
    bool told = false;
    for (const GpuProcess& process : sample->processes) {
      listed.insert(process.pid);
      if (!tree.contains(process.pid)) others.insert(process.pid);
      if (!process.sm_share) continue;
      told = true;
      if (*process.sm_share > 0) active.insert(process.pid);
      (tree.contains(process.pid) ? own : foreign) += *process.sm_share;
    }
    shares += told;
  }
  const size_t count =
      roles.matched_by_files ? hidden_others(active, listed, gpu, recording) : others.size();
  figures.set("gpu_others", static_cast<double>(count), Unit::count);
  if (shares == 0 || roles.matched_by_files) return;
  figures.set("gpu_own_share", own / shares, Unit::share);
  figures.set("gpu_others_share", foreign / shares, Unit::share);
}

}  // namespace

void add_gpu(Figures& figures, const Roles& roles, const Recording& recording) {
  const auto here = static_cast<double>(recording.samples.back().gpus.size());
  if (here > 0) figures.set("gpus_here", here, Unit::count);
  const auto& processes = recording.samples.back().processes;
  const auto main = std::ranges::find(processes, roles.main, &ProcessSample::pid);
  const bool unknown = roles.gpus_used == 0 && main != processes.end() && main->files_hidden != 0;
  if (here > 0 && !unknown)
    figures.set("gpus_used", static_cast<double>(roles.gpus_used), Unit::count);
  const Watched gpu = watched(recording, roles.gpu);
  if (gpu.samples.empty()) return;
  add_work(figures, gpu);
  add_clock(figures, gpu);
  add_memory(figures, gpu);
  add_others(figures, gpu, roles, recording);
}

}  // namespace stoker::observe
