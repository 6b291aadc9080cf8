#include "observe/sampler.h"

#include <chrono>

namespace stoker::observe {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Sampler::Sampler(int64_t pid, std::string root) : pid_(pid), proc_(std::move(root)) {}

bool Sampler::looks_up_files(double now) {
  if (now < next_lookup_) return false;
  next_lookup_ = now + 1;
  return true;
}

Sample Sampler::take(const std::vector<GpuSample>& gpus) {
  Sample sample{.time = seconds_now(), .host = host_of(pid_, proc_.root()), .gpus = gpus};
  if (!proc_.has(pid_)) return sample;
  const std::vector<int64_t> tree = proc_.tree(pid_);
  const bool look_up = !gpus.empty() && looks_up_files(sample.time);
  for (const int64_t pid : tree) {
    ProcessSample process = proc_.process(pid);
    if (process.threads.empty()) continue;  // a zombie, or gone since
    if (look_up) {
      gpu_files_[pid] = proc_.gpu_files(pid);
      files_hidden_[pid] = !proc_.readable(pid);
    }
    process.gpu_files = gpu_files_[pid];
    process.files_hidden = files_hidden_[pid];
    sample.processes.push_back(std::move(process));
  }
  if (look_up) others_ = proc_.gpu_users(tree);
  sample.others = others_;
  for (GpuSample& gpu : sample.gpus)
    for (GpuProcess& process : gpu.processes) process.name = proc_.name(process.pid);
  return sample;
}

}  // namespace stoker::observe
