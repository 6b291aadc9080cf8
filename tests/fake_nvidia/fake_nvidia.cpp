// Simulates NVIDIA's libraries. STOKER_FAKE_NVIDIA names a file with lines of a key and a value,
// which is read at every call; other values have the defaults given here. "fails_NAME 7" makes the
// function NAME return 7.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "observe/nvml_interface.h"

namespace {

using namespace stoker::observe::nvml;

std::string text(const std::string& key, const std::string& otherwise) {
  const char* path = std::getenv("STOKER_FAKE_NVIDIA");
  std::ifstream file(path ? path : "");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + " ")) return line.substr(key.size() + 1);
  return otherwise;
}
double number(const std::string& key, double otherwise) {
  return std::stod(text(key, std::to_string(otherwise)));
}
int status(const char* function) {
  return static_cast<int>(number(std::string("fails_") + function, 0));
}
template <class T>
int give(const char* function, T* to, const char* key, double otherwise) {
  *to = static_cast<T>(number(key, otherwise));
  return status(function);
}
int give_text(const char* function, char* to, unsigned int size, const char* key,
              const char* otherwise) {
  std::strncpy(to, text(key, otherwise).c_str(), size);
  return status(function);
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE int nvmlInit_v2() { return status("nvmlInit_v2"); }
FAKE const char* nvmlErrorString(int code) {
  return code == 18 ? "Driver/library version mismatch" : "an error";
}
FAKE int nvmlSystemGetDriverVersion(char* to, unsigned int size) {
  return give_text("nvmlSystemGetDriverVersion", to, size, "driver", "580.65.06");
}
FAKE int nvmlDeviceGetCount_v2(unsigned int* count) { return give("count", count, "gpus", 1); }
FAKE int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Device* device) {
  *device = reinterpret_cast<Device>(size_t{index} + 1);
  return 0;
}
FAKE int nvmlDeviceGetName(Device, char* to, unsigned int size) {
  return give_text("nvmlDeviceGetName", to, size, "name", "Fake H200");
}
FAKE int nvmlDeviceGetUUID(Device, char* to, unsigned int size) {
  return give_text("nvmlDeviceGetUUID", to, size, "uuid", "GPU-fake-0");
}
FAKE int nvmlDeviceGetMinorNumber(Device device, unsigned int* minor) {
  *minor = static_cast<unsigned int>(reinterpret_cast<size_t>(device) - 1);
  return 0;
}
FAKE int nvmlDeviceGetMemoryInfo(Device, Memory* memory) {
  memory->total = static_cast<unsigned long long>(number("memory_total", 141e9));
  memory->used = static_cast<unsigned long long>(number("memory_used", 1e9));
  memory->free = memory->total - memory->used;
  return 0;
}
FAKE int nvmlDeviceGetUtilizationRates(Device, Utilization* share) {
  share->gpu = static_cast<unsigned int>(number("busy", 0));
  return status("nvmlDeviceGetUtilizationRates");
}
FAKE int nvmlDeviceGetComputeRunningProcesses_v3(Device, unsigned int* count, ProcessInfo* to) {
  unsigned int found = 0;
  for (const char* key : {"process", "process_2"})
    if (const double pid = number(key, 0); pid > 0)
      to[found++] = {static_cast<unsigned int>(pid), 2'000'000'000, 0, 0};
  *count = found;
  return 0;
}
FAKE int nvmlDeviceGetProcessUtilization(Device, ProcessUtilization* to, unsigned int* count,
                                         unsigned long long) {
  const double pid = number("process", 0);
  *count = pid > 0 ? 1 : 0;
  if (pid > 0)
    to[0] = {
        static_cast<unsigned int>(pid), 1, static_cast<unsigned int>(number("busy", 0)), 0, 0, 0};
  return status("nvmlDeviceGetProcessUtilization");
}
FAKE int nvmlDeviceGetClockInfo(Device, unsigned int, unsigned int* to) {
  return give("nvmlDeviceGetClockInfo", to, "clock", 1980);
}
FAKE int nvmlDeviceGetMaxClockInfo(Device, unsigned int, unsigned int* to) {
  return give("nvmlDeviceGetMaxClockInfo", to, "max_clock", 1980);
}
FAKE int nvmlDeviceGetCurrentClocksEventReasons(Device, unsigned long long* to) {
  return give("nvmlDeviceGetCurrentClocksEventReasons", to, "slowdowns", 0);
}
FAKE int nvmlDeviceGetPowerUsage(Device, unsigned int* to) {
  return give("nvmlDeviceGetPowerUsage", to, "power", 100'000);
}
FAKE int nvmlDeviceGetEnforcedPowerLimit(Device, unsigned int* to) {
  return give("nvmlDeviceGetEnforcedPowerLimit", to, "power_limit", 700'000);
}
FAKE int nvmlDeviceGetTemperature(Device, unsigned int, unsigned int* to) {
  return give("nvmlDeviceGetTemperature", to, "temperature", 40);
}
FAKE int nvmlDeviceGetPcieThroughput(Device, unsigned int which, unsigned int* to) {
  return give("nvmlDeviceGetPcieThroughput", to, which == pcie_in ? "pcie_in" : "pcie_out", 0);
}
FAKE int nvmlDeviceGetCurrPcieLinkGeneration(Device, unsigned int* to) {
  return give("generation", to, "pcie_generation", 5);
}
FAKE int nvmlDeviceGetCurrPcieLinkWidth(Device, unsigned int* to) {
  return give("width", to, "pcie_width", 16);
}
FAKE int nvmlDeviceGetMaxPcieLinkGeneration(Device, unsigned int* to) {
  return give("generation", to, "max_pcie_generation", 5);
}
FAKE int nvmlDeviceGetMaxPcieLinkWidth(Device, unsigned int* to) {
  return give("width", to, "max_pcie_width", 16);
}
FAKE int nvmlDeviceGetComputeMode(Device, unsigned int* to) {
  return give("mode", to, "compute_mode", 0);
}
FAKE int nvmlDeviceGetPersistenceMode(Device, unsigned int* to) {
  return give("mode", to, "persistence_mode", 1);
}
FAKE int nvmlGpmQueryDeviceSupport(Device, GpmSupport* to) {
  to->supported = static_cast<unsigned int>(number("gpm", 1));
  return 0;
}
FAKE int nvmlGpmSampleAlloc(GpmSample* to) {
  static char memory[64];
  static size_t next = 0;
  *to = &memory[next++ % sizeof memory];
  return 0;
}
FAKE int nvmlGpmSampleGet(Device, GpmSample) { return 0; }
FAKE int nvmlGpmMetricsGet(GpmMetrics* metrics) {
  for (unsigned int i = 0; i < metrics->count; ++i)
    metrics->metrics[i].value = number("gpm_" + std::to_string(metrics->metrics[i].id), 0);
  return status("nvmlGpmMetricsGet");
}

// The CUDA driver: enough to initialise it and to copy.
FAKE int cuInit(unsigned int) { return status("cuInit"); }
FAKE int cuDriverGetVersion(int* to) { return give("cuDriverGetVersion", to, "cuda", 13000); }
FAKE int cuGetErrorString(int, const char** to) {
  *to = "an error of the fake driver";
  return 0;
}
FAKE int cuDeviceGetCount(int* to) { return give("cuDeviceGetCount", to, "gpus", 1); }
FAKE int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
FAKE int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = nullptr;
  return status("cuDevicePrimaryCtxRetain");
}
FAKE int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
FAKE int cuCtxSetCurrent(void*) { return 0; }
FAKE int cuMemAlloc_v2(unsigned long long* to, size_t bytes) {
  const int failed = status("cuMemAlloc_v2");
  if (failed == 0) *to = reinterpret_cast<unsigned long long>(std::malloc(bytes));
  return failed;
}
FAKE int cuMemFree_v2(unsigned long long memory) {
  std::free(reinterpret_cast<void*>(memory));
  return 0;
}
FAKE int cuMemAllocHost_v2(void** to, size_t bytes) {
  const int failed = status("cuMemAllocHost_v2");
  if (failed == 0) *to = std::malloc(bytes);
  return failed;
}
FAKE int cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}
FAKE int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}

FAKE int cudaRuntimeGetVersion(int* to) { return give("runtime", to, "runtime", 13000); }
FAKE int nvrtcVersion(int* major, int* minor) {
  const int version = static_cast<int>(number("nvrtc", 13000));
  *major = version / 1000, *minor = version % 1000 / 10;
  return 0;
}
FAKE size_t cudnnGetVersion() { return static_cast<size_t>(number("cudnn", 91300)); }
FAKE size_t cudnnGetCudartVersion() { return static_cast<size_t>(number("cudnn_cuda", 13000)); }
FAKE size_t cublasLtGetVersion() { return static_cast<size_t>(number("cublas", 130100)); }
FAKE int ncclGetVersion(int* to) { return give("nccl", to, "nccl", 22703); }
