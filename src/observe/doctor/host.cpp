#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "observe/cgroup.h"
#include "observe/doctor/checks.h"
#include "observe/proc.h"
#include "stoker/human_bytes.h"

// What supplies the GPU: cores, memory, shared memory, disk.
namespace stoker::observe {
namespace {

std::string bytes(double value) { return human_bytes(static_cast<int64_t>(value)); }

void check_governor(Visit& visit) {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  std::string governor = read_text(visit.path(folder + "scaling_governor"));
  std::string driver = read_text(visit.path(folder + "scaling_driver"));
  while (!governor.empty() && governor.back() == '\n') governor.pop_back();
  if (governor.empty()) return;  // a virtual machine
  // For drivers that choose automatically, powersave is the normal governor.
  const bool by_itself = driver.starts_with("intel_pstate") || driver.starts_with("amd-pstate-epp");
  if (governor == "powersave" && !by_itself)
    visit.warn("CPU governor", "\"powersave\" keeps the cores at their lowest clock.",
               "sudo cpupower frequency-set -g performance");
  else
    visit.ok("CPU governor", governor);
}

void check_cores(Visit& visit) {
  const int64_t self = getpid();
  const HostSample host = host_of(self, visit.args.root);
  const Cgroup group = cgroup_of(self, visit.args.root);
  const std::string text =
      fmt::format("{:g} of {:g} cores may be used", host.cores, host.machine_cores);
  const auto gpus = std::max<double>(1, double(visit.nvml.facts().size()));
  if (host.machine_cores > host.cores && host.cores < 4 * gpus)
    visit.warn("cores",
               fmt::format("{}{}: few for the input of {:g} GPU(s).", text,
                           group.cores ? ", by the cgroup's quota" : "", gpus),
               "docker run --cpus=16 …  (Kubernetes: limits.cpu; Slurm: --cpus-per-task)");
  else
    visit.ok("cores", text);
  if (!host.memory_limit || *host.memory_limit >= host.memory_total)
    visit.ok("memory", fmt::format("{} of {} available", bytes(host.memory_available),
                                   bytes(host.memory_total)));
  else if (host.memory_used && *host.memory_used > 0.9 * *host.memory_limit)
    visit.warn("memory",
               fmt::format("{} of the cgroup's limit of {} are used: beyond it the kernel "
                           "kills.",
                           bytes(*host.memory_used), bytes(*host.memory_limit)),
               "docker run --memory=64g …  (Kubernetes: limits.memory; Slurm: --mem)");
  else
    visit.ok("memory", fmt::format("the cgroup's limit is {}", bytes(*host.memory_limit)));
}

// Workers of PyTorch's DataLoader pass batches through shared memory.
void check_shared_memory(Visit& visit) {
  struct statvfs info {};
  if (statvfs(visit.path("/dev/shm").c_str(), &info) != 0) {
    visit.warn("shared memory",
               "/dev/shm is missing: workers of a DataLoader cannot hand over "
               "batches.",
               "sudo mount -t tmpfs -o size=8g tmpfs /dev/shm");
    return;
  }
  const double size = double(info.f_blocks) * double(info.f_frsize);
  constexpr double little = 1e9;
  if (size < little)
    visit.warn("shared memory",
               fmt::format("/dev/shm has {}: workers of a DataLoader die of a bus error when it is "
                           "full.",
                           bytes(size)),
               "docker run --shm-size=8g …  (or: sudo mount -o remount,size=8g /dev/shm)");
  else
    visit.ok("shared memory", fmt::format("/dev/shm has {}", bytes(size)));
}

}  // namespace

void check_host(Visit& visit) {
  check_governor(visit);
  check_cores(visit);
  check_shared_memory(visit);
}

void check_disk(Visit& visit) {
  if (!visit.args.measure) return;
  const std::string folder = visit.args.root.empty() ? "." : visit.args.root;
  const auto rate = measure_disk(folder);
  if (!rate) {
    visit.warn("disk",
               "no file of 64 MB can be written in this folder: its disk is full or "
               "read-only.",
               "df -h .");
    return;
  }
  constexpr double slow = 100e6;
  const std::string text = fmt::format("this folder's is read at {}/s", bytes(*rate));
  if (*rate < slow)
    visit.warn("disk", text + ": slow for training from files.",
               "cp -r DATA /dev/shm  (or another local disk)");
  else
    visit.ok("disk", text);
}

}  // namespace stoker::observe
