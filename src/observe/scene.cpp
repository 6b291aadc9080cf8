#include "observe/explain.h"

namespace stoker::observe {
namespace {

ThreadSample thread_at(int64_t tid, const std::string& name, double busy, double seconds) {
  return {.tid = tid, .name = name, .state = busy > 0.5 ? "R" : "S", .cpu_seconds = busy * seconds};
}

ProcessSample worker_at(const Scene& scene, int i, double seconds, bool blocked) {
  ProcessSample worker{
      .pid = 4712 + i, .parent = 4711, .name = "pt_data_worker", .command = scene.command};
  worker.threads = {thread_at(worker.pid, "pt_data_worker", scene.worker_busy, seconds)};
  if (blocked) worker.threads[0].state = "D";
  worker.read_bytes = scene.storage_wait > 0 ? 5e7 * seconds : 0;
  return worker;
}

GpuSample gpu_at(const Scene& scene) {
  return {.index = 0,
          .minor = 0,
          .name = "NVIDIA H200",
          .busy = scene.gpu_busy,
          .memory_used = scene.gpu_memory * 141e9,
          .memory_total = 141e9,
          .sm_clock = 1980,
          .max_sm_clock = 1980,
          .power = 300,
          .power_limit = 700,
          .temperature = 50,
          .pcie_in = scene.pcie_in,
          .pcie_out = 1e7,
          .pcie_limit = 63e9,
          .sm_active = scene.sm_active,
          .sm_occupancy = scene.sm_active / 2,
          .tensor_active = scene.tensor_active,
          .dram_active = scene.sm_active / 2,
          .processes = {{.pid = 4711,
                         .name = "python",
                         .memory_bytes = scene.gpu_memory * 140e9,
                         .sm_share = scene.gpu_busy}}};
}

Sample sample_at(const Scene& scene, int i) {
  constexpr double interval = 0.25;
  const double seconds = interval * i;
  Sample sample{.time = seconds, .gpus = {gpu_at(scene)}};
  sample.host = {.cores = scene.cores,
                 .machine_cores = scene.cores,
                 .memory_available = 100e9,
                 .memory_total = 128e9};
  ProcessSample main{.pid = 4711, .parent = 1, .name = "python", .command = scene.command};
  main.threads = {thread_at(4711, "python", scene.main_busy, seconds)};
  main.read_bytes = 0, main.resident_bytes = 8e9, main.gpu_files = {0};
  sample.processes = {main};
  const bool blocked = scene.storage_wait * 20 > i;
  for (int w = 0; w < scene.workers; ++w)
    sample.processes.push_back(worker_at(scene, w, seconds, blocked));
  const double used = scene.main_busy + scene.workers * scene.worker_busy;
  sample.host.idle_seconds = std::max(0.0, scene.cores - used) * seconds;
  return sample;
}

}  // namespace

Recording recording_of(const Scene& scene) {
  Recording recording{.pid = 4711, .command = scene.command};
  for (int i = 0; i <= 20; ++i) recording.samples.push_back(sample_at(scene, i));
  return recording;
}

}  // namespace stoker::observe
