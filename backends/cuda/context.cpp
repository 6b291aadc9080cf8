#include "context.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "nvml.h"

namespace stoker::cuda {
namespace {

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

std::unique_ptr<Gpu> open_gpu(int32_t index) {
  auto gpu = std::make_unique<Gpu>();
  gpu->index = index;
  const Driver& d = driver();
  check(d.cuDeviceGet(&gpu->device, index), "opening the GPU");
  char name[128] = {};
  check(d.cuDeviceGetName(name, sizeof name, gpu->device), "asking for the GPU's name");
  gpu->name = name;
  gpu->capability = 10 * attribute(gpu->device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                    attribute(gpu->device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  if (gpu->capability < 80)
    throw CudaError(fmt::format("{} has compute capability {}.{}, and 8.0 or newer is needed.",
                                name, gpu->capability / 10, gpu->capability % 10));
  gpu->multiprocessors = attribute(gpu->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
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
  check(d.cuMemGetInfo(&free, &total), "asking for the GPU's memory");
  gpu->memory = total;
  return gpu;
}

}  // namespace

int32_t gpu_count() {
  int count = 0;
  check(driver().cuDeviceGetCount(&count), "counting GPUs");
  return count;
}

Gpu& gpu(int32_t index) {
  static std::mutex guard;
  // Never destroyed: buffers of static objects are released after everything else is gone.
  static auto& opened = *new std::map<int32_t, std::unique_ptr<Gpu>>;
  const std::lock_guard lock(guard);
  auto& found = opened[index];
  if (!found) {
    const int32_t count = gpu_count();
    if (index < 0 || index >= count)
      throw CudaError(fmt::format("there is no GPU {}: the driver shows {}.", index, count));
    found = open_gpu(index);
  }
  return *found;
}

void make_current(const Gpu& gpu) {
  thread_local CUcontext current = nullptr;
  if (current == gpu.context) return;
  check(driver().cuCtxSetCurrent(gpu.context), "switching to the GPU");
  current = gpu.context;
}

const Gpu& current_gpu() {
  if (!planning_for) throw CudaError("no GPU is planned for.");
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
                          .choose_by_time = !is_switched_off("STOKER_CUDA_CHOOSE_BY_TIME")};
  return current;
}

bool chooses_by_time() { return settings().choose_by_time && !settings().deterministic; }

}  // namespace stoker::cuda
