#include "kernel.h"

#include "core/round_up.h"
#include "recording.h"

namespace stoker::cuda {
namespace {

Implementations<Kernel>& registry() {
  static Implementations<Kernel> implementations("STOKER_CUDA_IMPLEMENTATION");
  return implementations;
}

constexpr unsigned int shared_without_asking = 48 * 1024;

}  // namespace

RegisterKernel::RegisterKernel(const char* op, const char* implementation, Rank rank,
                               Planner planner, std::source_location place) {
  registry().add(op, implementation, rank, planner, place);
}
std::unique_ptr<Kernel> plan(const NodeView& node) { return registry().plan(node); }
std::vector<std::unique_ptr<Kernel>> plan_all(const NodeView& node) {
  return registry().plan_all(node);
}

void Encoder::launch_with(Function& function, const LaunchShape& shape, void** arguments) {
  const CUfunction ready = function.on(gpu_);
  if (shape.shared_bytes > shared_without_asking)
    check(driver().cuFuncSetAttribute(ready, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      static_cast<int>(shape.shared_bytes)),
          "requesting shared memory");
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {shape.cluster, 1, 1};
  if (shape.cluster > 8)
    check(
        driver().cuFuncSetAttribute(ready, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "requesting a large cluster");
  CUlaunchConfig config{};
  config.gridDimX = shape.blocks;
  config.gridDimY = shape.blocks_y;
  config.gridDimZ = shape.blocks_z;
  config.blockDimX = shape.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = shape.shared_bytes;
  config.hStream = gpu_.stream;
  config.attrs = &cluster;
  config.numAttrs = shape.cluster > 1 ? 1 : 0;
  if (gpu_.recording && function.starts_early() && gpu_.capability >= 90) start_next_early(gpu_);
  check(driver().cuLaunchKernelEx(&config, ready, arguments, nullptr), "launching a kernel");
}

void Encoder::copy(void* to, const void* from, uint64_t bytes) {
  if (bytes == 0 || to == from) return;
  check(driver().cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(to),
                                   reinterpret_cast<CUdeviceptr>(from), bytes, gpu_.stream),
        "copying on the device");
}

void Encoder::fill(void* to, unsigned char byte, uint64_t bytes) {
  if (bytes == 0) return;
  check(driver().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(to), byte, bytes, gpu_.stream),
        "filling memory");
}

const char* type_name(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    case DType::float16:
      return "float16";
    case DType::bfloat16:
      return "bfloat16";
    case DType::int8:
      return "int8_t";
    case DType::int32:
      return "int32_t";
    case DType::int64:
      return "int64_t";
    case DType::uint8:
    case DType::boolean:
      break;
  }
  return "uint8_t";
}

unsigned int blocks_for(int64_t items, int64_t threads, int64_t most) {
  const int64_t wanted = std::max<int64_t>(1, ceil_div(items, threads));
  const int64_t limit = most > 0 ? most : int64_t{1} << 30;
  return static_cast<unsigned int>(std::min(wanted, limit));
}

}  // namespace stoker::cuda
