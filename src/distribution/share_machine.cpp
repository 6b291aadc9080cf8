#include "distribution/share_machine.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "stoker/device.h"
#include "stoker/error.h"

namespace stoker::distribution {
namespace {

// Number or rank among the processes on this machine, according to the launcher.
int local(const std::initializer_list<const char*>& variables, int otherwise) {
  for (const char* const variable : variables)
    if (const char* const text = std::getenv(variable)) return std::atoi(text);
  return otherwise;
}

void share_cores(int processes) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  const int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : cores;
  const int each = std::max(1, std::min(allowed, cores / std::max(processes, 1)));
  ::setenv("STOKER_NUM_THREADS", std::to_string(each).c_str(), 0);
}

void share_gpus(int process, int processes) {
  const char* const device = std::getenv("STOKER_DEVICE");
  if (device && *device) return;
  const auto gpus = static_cast<int>(list_physical_devices("GPU").size());
  // A launcher may have left each process its own GPU; a list of several is the same for all.
  if (gpus == 0 || (gpus == 1 && std::getenv("CUDA_VISIBLE_DEVICES"))) return;
  const bool may_share = local({"NCCL_MULTI_RANK_GPU_ENABLE"}, 0) == 1;
  if (gpus < processes && !may_share)
    throw InvalidArgument(
        fmt::format("{} processes of this training are on this machine, but it has {} GPU{}.",
                    processes, gpus, gpus == 1 ? "" : "s"),
        "start at most one process for each GPU, or name the device of each in STOKER_DEVICE.");
  ::setenv("STOKER_DEVICE", fmt::format("/gpu:{}", may_share ? process % gpus : process).c_str(),
           1);
}

}  // namespace

void share_machine() {
  // Slurm lists the numbers of all machines, "4(x2),3"; the first one's is used.
  const int said = local({"OMPI_COMM_WORLD_LOCAL_SIZE", "LOCAL_WORLD_SIZE", "SLURM_NTASKS_PER_NODE",
                          "SLURM_STEP_TASKS_PER_NODE"},
                         1);
  const int process = local({"OMPI_COMM_WORLD_LOCAL_RANK", "LOCAL_RANK", "SLURM_LOCALID"}, 0);
  const int processes = std::max(said, process + 1);  // of some launchers only the rank is known
  share_cores(processes);
  share_gpus(process, processes);
}

}  // namespace stoker::distribution
