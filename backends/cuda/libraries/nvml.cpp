#include "libraries/nvml.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <optional>

#include "libraries/library.h"
#include "stoker/human_bytes.h"

namespace stoker::cuda {
namespace {

// The used part of nvml.h; the toolkit's header is not always installed.
struct MemoryInfo {
  unsigned long long total, free, used;
};
struct ProcessInfo {
  unsigned int pid;
  unsigned long long used;
  unsigned int gpu_instance, compute_instance;
};
using Handle = void*;

struct Nvml {
  int (*init)();
  int (*driver_version)(char*, unsigned int);
  int (*by_bus_id)(const char*, Handle*);
  int (*memory)(Handle, MemoryInfo*);
  int (*processes)(Handle, unsigned int*, ProcessInfo*);
};

std::optional<Nvml> open_nvml() {
  try {
    const Library library("NVML", {"libnvidia-ml.so.1"});
    Nvml n{};
    const auto load = [&library]<class F>(F& function, const char* name) {
      function = reinterpret_cast<F>(library.symbol(name));
    };
    load(n.init, "nvmlInit_v2");
    load(n.driver_version, "nvmlSystemGetDriverVersion");
    load(n.by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
    load(n.memory, "nvmlDeviceGetMemoryInfo");
    load(n.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    return n.init() == 0 ? std::optional(n) : std::nullopt;
  } catch (const CudaError&) {
    return std::nullopt;
  }
}

const std::optional<Nvml>& nvml() {
  static const std::optional<Nvml> opened = open_nvml();
  return opened;
}

Handle handle_of(CUdevice device) {
  char bus[32] = {};
  Handle handle = nullptr;
  if (!nvml() || driver().cuDeviceGetPCIBusId(bus, sizeof bus, device) != CUDA_SUCCESS ||
      nvml()->by_bus_id(bus, &handle) != 0)
    return nullptr;
  return handle;
}

std::string name_of_process(unsigned int pid) {
  std::ifstream file(fmt::format("/proc/{}/comm", pid));
  std::string name;
  return std::getline(file, name) ? name : "not visible from here";
}

}  // namespace

uint64_t nvml_used(CUdevice device) {
  MemoryInfo info{};
  const Handle handle = handle_of(device);
  return handle && nvml()->memory(handle, &info) == 0 ? info.used : 0;
}

std::string nvml_holders(CUdevice device) {
  const Handle handle = handle_of(device);
  std::array<ProcessInfo, 32> found{};
  auto count = static_cast<unsigned int>(found.size());
  if (!handle || nvml()->processes(handle, &count, found.data()) != 0) return "";
  std::string text;
  for (unsigned int i = 0; i < count; ++i) {
    if (found[i].pid == static_cast<unsigned int>(getpid())) continue;
    text += fmt::format("{}process {} ({}) holds {}", text.empty() ? "" : "; ", found[i].pid,
                        name_of_process(found[i].pid),
                        human_bytes(static_cast<int64_t>(found[i].used)));
  }
  return text;
}

std::string nvml_driver_version() {
  char version[80] = {};
  return nvml() && nvml()->driver_version(version, sizeof version) == 0 ? version : "";
}

}  // namespace stoker::cuda
