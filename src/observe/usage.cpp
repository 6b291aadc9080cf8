#include "observe/usage.h"

#include <algorithm>

namespace stoker::observe {
namespace {

using Places = std::map<int64_t, size_t>;  // pid → index in the result

void add_thread(ThreadUse& use, const ThreadSample* before, const ThreadSample& now,
                double seconds) {
  use.name = now.name;
  ++use.samples;
  use.in_storage += now.state == "D";
  if (!before) return;
  use.seconds += seconds;
  use.cpu += std::max(0.0, now.cpu_seconds - before->cpu_seconds);
  use.waiting += std::max(0.0, now.wait_seconds - before->wait_seconds);
}

void add_process(ProcessUse& use, const ProcessSample* before, const ProcessSample& now,
                 double seconds) {
  use.pid = now.pid, use.parent = now.parent, use.name = now.name, use.command = now.command;
  if (!now.gpu_files.empty()) use.gpu_files = now.gpu_files;
  for (const ThreadSample& thread : now.threads) {
    const ThreadSample* then = nullptr;
    if (before) {
      const auto found = std::ranges::find(before->threads, thread.tid, &ThreadSample::tid);
      if (found != before->threads.end()) then = &*found;
    }
    add_thread(use.threads[thread.tid], then, thread, seconds);
  }
  if (!before) return;
  use.seconds += seconds;
  use.major_faults += std::max(0.0, now.major_faults - before->major_faults);
  if (!now.read_bytes || !before->read_bytes) return;
  use.read_bytes += std::max(0.0, *now.read_bytes - *before->read_bytes);
  use.read_bytes_known = true;
}

}  // namespace

double ThreadUse::busy_share() const { return std::min(1.0, cpu_share() + wait_share()); }

double ProcessUse::cpu_seconds() const {
  double sum = 0;
  for (const auto& [tid, thread] : threads) sum += thread.cpu;
  return sum;
}

const ThreadUse& ProcessUse::busiest() const {
  static const ThreadUse none;
  const ThreadUse* best = &none;
  for (const auto& [tid, thread] : threads)
    if (thread.cpu + thread.waiting >= best->cpu + best->waiting) best = &thread;
  return *best;
}
double ProcessUse::busy_share() const { return busiest().busy_share(); }
double ProcessUse::wait_share() const { return busiest().wait_share(); }

double ProcessUse::storage_share() const {
  double most = 0;
  for (const auto& [tid, thread] : threads) most = std::max(most, thread.storage_share());
  return most;
}

std::vector<ProcessUse> usage_of(const std::vector<Sample>& samples) {
  std::vector<ProcessUse> uses;
  Places places;
  for (size_t i = 0; i < samples.size(); ++i)
    for (const ProcessSample& now : samples[i].processes) {
      if (now.threads.empty()) continue;  // it had ended
      const auto [place, is_new] = places.emplace(now.pid, uses.size());
      if (is_new) uses.emplace_back();
      const ProcessSample* before = nullptr;
      if (i > 0) {
        const auto& last = samples[i - 1].processes;
        const auto found = std::ranges::find(last, now.pid, &ProcessSample::pid);
        if (found != last.end() && !found->threads.empty()) before = &*found;
      }
      add_process(uses[place->second], before, now,
                  before ? samples[i].time - samples[i - 1].time : 0);
    }
  return uses;
}

// Least squares, for values that increased in most intervals: a single jump is an allocation, not a
// leak.
double steady_growth(const std::vector<double>& times, const std::vector<double>& values) {
  const size_t n = values.size();
  if (n < 5) return 0;
  size_t rises = 0;
  for (size_t i = 1; i < n; ++i) rises += values[i] > values[i - 1];
  if (rises * 10 < (n - 1) * 6 || values.back() < values.front() * 1.002) return 0;
  double t = 0, v = 0, tt = 0, tv = 0;
  for (size_t i = 0; i < n; ++i) t += times[i] / double(n), v += values[i] / double(n);
  for (size_t i = 0; i < n; ++i) {
    tt += (times[i] - t) * (times[i] - t);
    tv += (times[i] - t) * (values[i] - v);
  }
  return tt > 0 ? std::max(0.0, tv / tt) : 0;
}

}  // namespace stoker::observe
