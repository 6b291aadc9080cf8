#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "observe/explain.h"
#include "observe/figures.h"
#include "observe/nvml.h"
#include "observe/sampler.h"
#include "stoker/why.h"

namespace stoker {

using namespace observe;

namespace {

constexpr size_t kept = 20;  // latest samples of a process

// The processes that use most CPU, without kernel threads and this one.
std::vector<int64_t> busiest(const Proc& proc, std::map<int64_t, double>& before) {
  constexpr size_t most = 5;
  std::vector<std::pair<double, int64_t>> uses;
  for (const int64_t pid : proc.pids()) {
    const ProcessSample process = proc.process(pid);
    double cpu = 0;
    for (const ThreadSample& thread : process.threads) cpu += thread.cpu_seconds;
    const auto then = before.find(pid);
    if (then != before.end() && pid != getpid() && process.resident_bytes > 0)
      uses.emplace_back(cpu - then->second, pid);
    before[pid] = cpu;
  }
  std::ranges::sort(uses, std::greater<>());
  std::vector<int64_t> pids;
  for (const auto& [cpu, pid] : uses)
    if (cpu > 0 && pids.size() < most) pids.push_back(pid);
  return pids;
}

}  // namespace

struct TopWatch::State {
  struct Watched {
    Sampler sampler;
    Recording recording;
  };
  Nvml nvml;
  Proc proc;
  std::vector<GpuSample> gpus;
  std::map<int64_t, Watched> watched;
  std::map<int64_t, double> cpu_before;

  std::set<int64_t> candidates() {
    std::set<int64_t> pids;
    if (!nvml.failure().empty()) {
      for (const auto& [pid, watch] : watched) pids.insert(pid);
      if (pids.size() < 3)
        for (const int64_t pid : busiest(proc, cpu_before)) pids.insert(pid);
      return pids;
    }
    for (const GpuSample& gpu : gpus)
      for (const GpuProcess& process : gpu.processes)
        if (proc.has(process.pid)) pids.insert(process.pid);
    for (const GpuProcess& user : proc.gpu_users({})) pids.insert(user.pid);
    return pids;
  }
  TopRow row(int64_t pid, const Recording& recording) const;
};

TopRow TopWatch::State::row(int64_t pid, const Recording& recording) const {
  const auto figures = figures_of(recording);
  TopRow row{.pid = pid,
             .process = recording.command,
             .gpu_busy = figures.find("gpu_busy"),
             .sm_active = figures.find("sm_active"),
             .cores_used = figures.find("cores_used").value_or(0)};
  const Sample& last = recording.samples.back();
  const Roles roles = roles_of(recording);
  for (const ProcessSample& process : last.processes) row.resident_bytes += process.resident_bytes;
  for (const GpuSample& gpu : last.gpus)
    if (gpu.index == roles.gpu) {
      row.gpu = gpu.index, row.gpu_name = gpu.name, row.gpu_memory_total = gpu.memory_total;
      for (const GpuProcess& process : gpu.processes)
        if (process.pid == pid) row.gpu_memory = process.memory_bytes;
    }
  const WhyAnswer answer = explain(recording);
  row.cause = answer.causes.front().cause;
  row.reason = answer.causes.front().sentence;
  return row;
}

TopWatch::TopWatch() : state_(std::make_unique<State>()) { sample(); }
TopWatch::~TopWatch() = default;
std::string TopWatch::no_gpu() const { return state_->nvml.failure(); }

void TopWatch::sample() {
  State& s = *state_;
  s.gpus = s.nvml.sample();
  for (const int64_t pid : s.candidates()) {
    auto [found, is_new] = s.watched.try_emplace(pid, State::Watched{Sampler(pid), {}});
    Recording& recording = found->second.recording;
    Sample sample = found->second.sampler.take(s.gpus);
    if (sample.processes.empty()) {
      s.watched.erase(found);
      continue;
    }
    recording.pid = pid;
    recording.command = sample.processes.front().command;
    recording.samples.push_back(std::move(sample));
    if (recording.samples.size() > kept) recording.samples.erase(recording.samples.begin());
  }
  std::erase_if(s.watched, [&](const auto& entry) { return !s.proc.has(entry.first); });
}

std::vector<TopRow> TopWatch::rows() const {
  std::vector<TopRow> rows;
  std::set<int64_t> used;
  for (const auto& [pid, watch] : state_->watched) {
    if (watch.recording.samples.size() < 2) continue;
    rows.push_back(state_->row(pid, watch.recording));
    used.insert(rows.back().gpu);
  }
  for (const GpuSample& gpu : state_->gpus)
    if (!used.contains(gpu.index))
      rows.push_back({.gpu = gpu.index,
                      .gpu_name = gpu.name,
                      .process = "nobody",
                      .gpu_busy = gpu.busy,
                      .gpu_memory = gpu.memory_used,
                      .gpu_memory_total = gpu.memory_total,
                      .cause = "unused",
                      .reason = "No process that is visible here uses it."});
  std::ranges::stable_sort(rows, {}, [](const TopRow& row) { return row.gpu; });
  return rows;
}

}  // namespace stoker
