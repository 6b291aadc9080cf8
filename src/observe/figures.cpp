#include "observe/figures.h"

#include <algorithm>
#include <array>
#include <functional>

#include "observe/gpu_figures.h"
#include "observe/usage.h"

namespace stoker::observe {
namespace {

using ledger::Figures;
using Unit = Figures::Unit;

bool starts_with_any(const std::string& name, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto begin) { return name.starts_with(begin); });
}

const ProcessUse* find(const std::vector<ProcessUse>& uses, int64_t pid) {
  const auto found = std::ranges::find(uses, pid, &ProcessUse::pid);
  return found == uses.end() ? nullptr : &*found;
}

// PyTorch launches the backward pass from a separate thread, while the main thread waits for it.
bool launches(int64_t tid, const ProcessUse& main, const ThreadUse& thread) {
  return tid == main.pid || thread.name.starts_with("pt_autograd");
}

// A worker that prepares input: a process, or a thread of the program.
struct Worker {
  double busy, waiting, in_storage;
};

std::vector<Worker> worker_threads(const ProcessUse& main, bool on_gpu) {
  std::vector<Worker> workers;
  for (const auto& [tid, thread] : main.threads) {
    if (launches(tid, main, thread) || starts_with_any(thread.name, {"cuda", "nccl", "pt_nccl"}))
      continue;
    // Without a GPU a program's busy threads are computing.
    const bool input = starts_with_any(thread.name, {"tf_data", "pt_data"});
    if (input ? thread.busy_share() + thread.storage_share() >= 0.05
              : on_gpu && thread.busy_share() + thread.storage_share() >= 0.3)
      workers.push_back({thread.busy_share(), thread.wait_share(), thread.storage_share()});
  }
  return workers;
}

std::vector<Worker> workers_of(const Roles& roles, const std::vector<ProcessUse>& uses,
                               const ProcessUse& main) {
  std::vector<Worker> workers;
  for (const int64_t pid : roles.workers)
    if (const ProcessUse* use = find(uses, pid))
      workers.push_back({use->busy_share(), use->wait_share(), use->storage_share()});
  return workers.empty() ? worker_threads(main, roles.gpu >= 0) : workers;
}

double mean(const std::vector<Worker>& workers, double Worker::*field) {
  double sum = 0;
  for (const Worker& worker : workers) sum += worker.*field;
  return sum / static_cast<double>(workers.size());
}

void add_program(Figures& figures, const Roles& roles, const std::vector<ProcessUse>& uses) {
  const ProcessUse* main = find(uses, roles.main);
  if (!main) return;
  double busy = 0, waiting = 0, in_storage = 0;
  for (const auto& [tid, thread] : main->threads)
    if (launches(tid, *main, thread)) {
      busy += thread.busy_share(), waiting += thread.wait_share();
      in_storage = std::max(in_storage, thread.storage_share());
    }
  figures.set("main_busy", std::min(1.0, busy), Unit::share);
  const auto workers = workers_of(roles, uses, *main);
  figures.set("workers", static_cast<double>(workers.size()), Unit::count);
  if (!workers.empty()) {
    constexpr double is_busy = 0.75;
    const auto count =
        std::ranges::count_if(workers, [](const Worker& worker) { return worker.busy >= is_busy; });
    figures.set("workers_busy", static_cast<double>(count), Unit::count);
    figures.set("worker_busy", mean(workers, &Worker::busy), Unit::share);
    in_storage = std::max(in_storage, mean(workers, &Worker::in_storage));
    waiting = std::max(waiting, mean(workers, &Worker::waiting));
  }
  figures.set("storage_wait", in_storage, Unit::share);
  figures.set("core_wait", std::min(1.0, waiting), Unit::share);
}

void add_cores(Figures& figures, const std::vector<ProcessUse>& uses, const Recording& recording) {
  const HostSample &first = recording.samples.front().host, &last = recording.samples.back().host;
  const double seconds = recording.samples.back().time - recording.samples.front().time;
  double cpu = 0;
  for (const ProcessUse& use : uses) cpu += use.cpu_seconds();
  const double used = cpu / seconds,
               idle = std::max(0.0, (last.idle_seconds - first.idle_seconds) / seconds);
  figures.set("cores", last.cores, Unit::cores);
  figures.set("cores_used", used, Unit::cores);
  if (last.cores > 0) figures.set("cores_used_share", used / last.cores, Unit::share);
  const double free = std::clamp(last.cores - used, 0.0, idle);
  figures.set("cores_idle", free, Unit::cores);
  if (last.cores > 0) figures.set("cores_idle_share", free / last.cores, Unit::share);
  if (first.throttled_seconds && last.throttled_seconds) {
    // The kernel adds up the throttled time of all cores, as it does the time they work.
    const double throttled = *last.throttled_seconds - *first.throttled_seconds;
    if (throttled + cpu > 0)
      figures.set("cpu_throttled", throttled / (throttled + cpu), Unit::share);
  }
}

void add_reads(Figures& figures, const std::vector<ProcessUse>& uses, const Recording& recording) {
  const HostSample &first = recording.samples.front().host, &last = recording.samples.back().host;
  const double seconds = recording.samples.back().time - recording.samples.front().time;
  double bytes = 0, faults = 0;
  bool known = false;
  for (const ProcessUse& use : uses)
    bytes += use.read_bytes, faults += use.major_faults, known = known || use.read_bytes_known;
  if (known) figures.set("storage_rate", bytes / seconds, Unit::bytes_per_second);
  figures.set("major_faults", faults / seconds, Unit::count);
  if (first.network_bytes && last.network_bytes)
    figures.set("network_rate", std::max(0.0, *last.network_bytes - *first.network_bytes) / seconds,
                Unit::bytes_per_second);
}

void add_memory(Figures& figures, const Recording& recording) {
  std::vector<double> times, used;
  for (const Sample& sample : recording.samples) {
    const HostSample& host = sample.host;
    times.push_back(sample.time);
    used.push_back(host.memory_limit && host.memory_used
                       ? *host.memory_used
                       : host.memory_total - host.memory_available);
  }
  const HostSample& last = recording.samples.back().host;
  const double limit = last.memory_limit.value_or(last.memory_total);
  if (limit > 0) figures.set("memory_used", used.back() / limit, Unit::share);
  if (const double growth = steady_growth(times, used); growth > 0)
    figures.set("memory_full_in", std::max(0.0, limit - used.back()) / growth, Unit::seconds);
}

}  // namespace

Figures figures_of(const Recording& recording) {
  Figures figures;
  if (recording.samples.size() < 2) return figures;
  const auto uses = usage_of(recording.samples);
  const Roles roles = roles_of(recording);
  figures.set("seconds", recording.samples.back().time - recording.samples.front().time,
              Unit::seconds);
  figures.set("processes", static_cast<double>(uses.size()), Unit::count);
  add_gpu(figures, roles, recording);
  add_program(figures, roles, uses);
  add_cores(figures, uses, recording);
  add_reads(figures, uses, recording);
  add_memory(figures, recording);
  return figures;
}

}  // namespace stoker::observe
