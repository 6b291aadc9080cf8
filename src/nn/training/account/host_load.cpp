#include "nn/training/account/host_load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "observe/gpu_users.h"
#include "observe/proc.h"
#include "stoker/distribution.h"

namespace stoker::nn {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// As it was before; none: it began later.
const observe::ThreadSample* find(const std::vector<observe::ThreadSample>& threads, int64_t tid) {
  const auto found = std::ranges::find(threads, tid, &observe::ThreadSample::tid);
  return found == threads.end() ? nullptr : &*found;
}

}  // namespace

// Seconds that the busiest thread was runnable without a core. Threads take work dynamically, so
// one that gets no core at all hardly slows the others down.
double LoadWatch::wait_of_the_busiest(const Counters& first, const Counters& last) {
  double most = 0, wait = 0;
  for (const auto& thread : last.threads) {
    const observe::ThreadSample* const before = find(first.threads, thread.tid);
    if (!before) continue;
    const double worked = thread.cpu_seconds - before->cpu_seconds;
    if (worked <= most) continue;
    most = worked;
    wait = thread.wait_seconds - before->wait_seconds;
  }
  return wait;
}

// The fraction of the time in which a cgroup's quota stopped the program: in each period it works
// on as many cores as it has busy threads until the quota is used up. The kernel's own sum of
// stopped times leaves out threads that wait for one which is stopped.
std::optional<double> LoadWatch::stopped_share(const Counters& first, const Counters& last) {
  const observe::Cgroup &before = first.cgroup, &now = last.cgroup;
  if (!before.periods || !now.throttled_periods || !now.cores) return std::nullopt;
  const double periods = *now.periods - *before.periods;
  if (periods <= 0) return 0;
  double sum = 0, squares = 0;
  for (const auto& thread : last.threads) {
    const observe::ThreadSample* const then = find(first.threads, thread.tid);
    const double worked = thread.cpu_seconds - (then ? then->cpu_seconds : 0);
    sum += worked, squares += worked * worked;
  }
  const double busy_threads = squares > 0 ? sum * sum / squares : 1;
  const double cores = std::min<double>(std::thread::hardware_concurrency(), busy_threads);
  const double throttled = (*now.throttled_periods - *before.throttled_periods) / periods;
  return throttled * std::max(0.0, 1 - *now.cores / cores);
}

LoadWatch::Counters LoadWatch::read() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.time = ledger::steady_clock(),
          .cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .threads = observe::Proc().process(getpid()).threads,
          .cgroup = observe::cgroup_of(getpid(), "")};
}

ledger::HostLoad LoadWatch::load(ledger::Time wall) const {
  ledger::HostLoad load{.cores = static_cast<double>(std::thread::hardware_concurrency())};
  if (!first_) return load;
  const Counters last = read();
  const double watched = static_cast<double>(last.time - first_->time);
  if (watched < static_cast<double>(worth_watching) / 2) return load;
  const double scale = static_cast<double>(wall) / watched;
  load.cpu_seconds = scale * (last.cpu_seconds - first_->cpu_seconds);
  load.core_wait = scale * std::max(0.0, wait_of_the_busiest(*first_, last));
  if (const auto stopped = stopped_share(*first_, last))
    load.throttled = *stopped * static_cast<double>(wall) * 1e-9;
  return load;
}

// The ranks of a training may share a GPU on purpose: they do not count as other users.
void add_gpu_users(const device::Device& device, ledger::HostLoad& load) {
  if (distribution::num_processes() > 1) return;
  observe::Nvml nvml;
  const auto samples = nvml.sample();
  const observe::GpuSample* const gpu = observe::gpu_of(
      samples, nvml.facts(), getpid(), std::getenv("CUDA_VISIBLE_DEVICES"), device.index);
  if (!gpu) return;
  const observe::GpuUsers users =
      observe::users_of(*gpu, getpid(), observe::Proc().gpu_users({getpid()}));
  load.gpu_others = users.others;
  load.gpu_shared = users.share;
}

}  // namespace stoker::nn
