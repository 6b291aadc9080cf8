#include "context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "libraries/nvml.h"

namespace stoker::cuda {
namespace {

constexpr int oldest_capability = 80;

thread_local const Gpu* planning_for = nullptr;

bool is_switched_off(const char* variable) {
  const char* given = std::getenv(variable);
  return given && std::strcmp(given, "0") == 0;
}

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device), "asking for a GPU's attributes");
  return value;
}

int capability_of(CUdevice device) {
  return 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
         attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

std::string name_of(CUdevice device) {
  char name[128] = {};
  check(driver().cuDeviceGetName(name, sizeof name, device), "querying the GPU's name");
  return name;
}

// The driver's devices: usable ones, and what is wrong with the others.
struct Sorted {
  std::vector<CUdevice> usable;
  std::string others;
};

const Sorted& sorted_gpus() {
  static const Sorted sorted = [] {
    int count = 0;
    check(driver().cuDeviceGetCount(&count), "counting GPUs");
    Sorted found;
    for (int i = 0; i < std::min(count, most_gpus); ++i) {
      CUdevice device = 0;
      check(driver().cuDeviceGet(&device, i), "opening the GPU");
      const int capability = capability_of(device);
      if (capability >= oldest_capability)
        found.usable.push_back(device);
      else
        found.others +=
            fmt::format("{}{} has compute capability {}.{}, and {}.{} or newer is needed.",
                        found.others.empty() ? "" : " ", name_of(device), capability / 10,
                        capability % 10, oldest_capability / 10, oldest_capability % 10);
    }
    return found;
  }();
  return sorted;
}

std::unique_ptr<Gpu> open_gpu(int32_t index) {
  auto gpu = std::make_unique<Gpu>();
  gpu->index = index;
  const Driver& d = driver();
  gpu->device = sorted_gpus().usable[static_cast<size_t>(index)];
  gpu->name = name_of(gpu->device);
  gpu->capability = capability_of(gpu->device);
  gpu->multiprocessors = attribute(gpu->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  gpu->has_clusters = attribute(gpu->device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0;
  gpu->has_libraries = d.serves_libraries;
  gpu->shared_memory =
      attribute(gpu->device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  gpu->l2_bytes = attribute(gpu->device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  const uint64_t before = nvml_used(gpu->device);
  check(d.cuDevicePrimaryCtxRetain(&gpu->context, gpu->device), "creating the GPU's context");
  make_current(*gpu);
  check(d.cuStreamCreate(&gpu->stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  check(d.cuStreamCreate(&gpu->copy_stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  const uint64_t after = nvml_used(gpu->device);
  gpu->context_bytes = after > before ? after - before : 0;
  size_t free = 0, total = 0;
  check(d.cuMemGetInfo(&free, &total), "querying the GPU's memory");
  gpu->memory = total;
  return gpu;
}

}  // namespace

int32_t gpu_count() { return static_cast<int32_t>(sorted_gpus().usable.size()); }

std::string why_no_gpu() {
  if (gpu_count() > 0) return "";
  const std::string& others = sorted_gpus().others;
  return others.empty() ? "the NVIDIA driver sees no GPU." : others;
}

// Never destroyed: buffers of static objects are released during program exit.
Gpu& gpu(int32_t index) {
  static std::mutex guard;
  static std::array<std::atomic<Gpu*>, most_gpus> opened{};
  const int32_t count = gpu_count();
  if (index < 0 || index >= count)
    throw CudaError(fmt::format("there is no GPU {}: there are {}.", index, count));
  std::atomic<Gpu*>& found = opened[static_cast<size_t>(index)];
  if (Gpu* ready = found.load(std::memory_order_acquire)) return *ready;
  const std::lock_guard lock(guard);
  if (!found) found = open_gpu(index).release();
  return *found;
}

void make_current(const Gpu& gpu) {
  thread_local CUcontext current = nullptr;
  if (current == gpu.context) return;
  check(driver().cuCtxSetCurrent(gpu.context), "switching to the GPU");
  current = gpu.context;
}

const Gpu& current_gpu() {
  if (!planning_for) throw CudaError("no GPU is selected for planning.");
  return *planning_for;
}
GpuScope::GpuScope(const Gpu& gpu) : before_(planning_for) {
  planning_for = &gpu;
  if (gpu.context) make_current(gpu);
}
GpuScope::~GpuScope() { planning_for = before_; }

bool tf32_allowed() { return !is_switched_off("NVIDIA_TF32_OVERRIDE"); }

Settings& settings() {
  static Settings current{.tf32 = tf32_allowed(),
                          .choose_by_time = !is_switched_off("STOKER_CUDA_CHOOSE_BY_TIME"),
                          .keep_blocks = !is_switched_off("STOKER_CUDA_KEEP_BLOCKS")};
  return current;
}

bool chooses_by_time() { return settings().choose_by_time && !settings().deterministic; }

}  // namespace stoker::cuda
