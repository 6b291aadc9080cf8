#include "libraries/libraries.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

namespace stoker::cuda {
namespace {

// For the driver's major version, or older ones.
std::vector<std::string> by_major(const char* pattern) {
  std::vector<std::string> names;
  for (int major = driver().version / 1000; major >= 12; --major)
    names.push_back(fmt::format(fmt::runtime(pattern), major));
  return names;
}

template <class Table, class Load>
Table open(const char* what, const std::vector<std::string>& names, Load load_all) {
  const Library library(what, names);
  Table table{};
  load_all(table, [&library]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(library.symbol(name));
  });
  table.file = library.file();
  return table;
}

template <class Handle, class Make>
Handle per_gpu(std::map<int32_t, Handle>& handles, std::mutex& guard, const Gpu& gpu, Make make) {
  if (!gpu.has_libraries)
    throw CudaError(fmt::format("the driver of {} does not support NVIDIA's libraries.", gpu.name));
  const std::lock_guard lock(guard);
  if (const auto found = handles.find(gpu.index); found != handles.end()) return found->second;
  make_current(gpu);
  return handles[gpu.index] = make();
}

template <class F>
std::string attempt(F describe) {
  try {
    return describe();
  } catch (const CudaError& error) {
    return error.what();
  }
}

}  // namespace

const CublasLt& cublaslt() {
  static const CublasLt table =
      open<CublasLt>("cuBLASLt", by_major("libcublasLt.so.{}"), [](auto& t, auto load) {
#define STOKER_LOAD_INTO_T(function) load(t.function, STOKER_NAME_OF(function));
        STOKER_CUBLASLT_FUNCTIONS(STOKER_LOAD_INTO_T)
      });
  return table;
}

const Cudnn& cudnn() {
  static const Cudnn table = open<Cudnn>("cuDNN 9", {"libcudnn.so.9"}, [](auto& t, auto load) {
    STOKER_CUDNN_FUNCTIONS(STOKER_LOAD_INTO_T)
#undef STOKER_LOAD_INTO_T
  });
  return table;
}

cublasLtHandle_t cublaslt_handle(const Gpu& gpu) {
  static std::mutex guard;
  static auto& handles = *new std::map<int32_t, cublasLtHandle_t>;
  return per_gpu(handles, guard, gpu, [] {
    cublasLtHandle_t handle = nullptr;
    check(cublaslt().cublasLtCreate(&handle), "starting cuBLASLt");
    return handle;
  });
}

cudnnHandle_t cudnn_handle(const Gpu& gpu) {
  static std::mutex guard;
  static auto& handles = *new std::map<int32_t, cudnnHandle_t>;
  return per_gpu(handles, guard, gpu, [&gpu] {
    cudnnHandle_t handle = nullptr;
    check(cudnn().cudnnCreate(&handle), "starting cuDNN");
    check(cudnn().cudnnSetStream(handle, gpu.stream), "setting cuDNN's stream");
    return handle;
  });
}

namespace {

// Handles that are not in use.
struct IdleHandles {
  std::mutex guard;
  std::map<int32_t, std::vector<cudnnHandle_t>> of_gpu;
};
IdleHandles& idle_handles() {
  static auto& handles = *new IdleHandles;
  return handles;
}
cudnnHandle_t take_idle_handle(int32_t gpu) {
  IdleHandles& idle = idle_handles();
  const std::lock_guard lock(idle.guard);
  auto& handles = idle.of_gpu[gpu];
  if (handles.empty()) return nullptr;
  const cudnnHandle_t handle = handles.back();
  handles.pop_back();
  return handle;
}

}  // namespace

CudnnPlanningHandle::CudnnPlanningHandle(const Gpu& gpu)
    : gpu_(gpu.index), handle_(take_idle_handle(gpu.index)) {
  if (!handle_) check(cudnn().cudnnCreate(&handle_), "starting cuDNN");
}
CudnnPlanningHandle::~CudnnPlanningHandle() {
  const std::lock_guard lock(idle_handles().guard);
  idle_handles().of_gpu[gpu_].push_back(handle_);
}

void check(cublasStatus_t status, const char* doing) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw CudaError(fmt::format("{}: {}.", doing, cublaslt().cublasLtGetStatusString(status)));
}
void check(cudnnStatus_t status, const char* doing) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  char more[256] = {};
  cudnn().cudnnGetLastErrorString(more, sizeof more);
  throw CudaError(fmt::format("{}: {} {}.", doing, cudnn().cudnnGetErrorString(status), more));
}

const char* library_report() {
  static std::string report;
  report =
      attempt([] { return fmt::format("driver for CUDA {}", version_text(driver().version)); });
  report += "; " + attempt([] {
              return fmt::format("NVRTC {} ({})", version_text(nvrtc().version), nvrtc().file);
            });
  report += "; " + attempt([] {
              const size_t version = cublaslt().cublasLtGetVersion();
              return fmt::format("cuBLASLt {}.{} ({})", version / 10000, version / 100 % 100,
                                 cublaslt().file);
            });
  report += "; " + attempt([] {
              const size_t version = cudnn().cudnnGetVersion();
              return fmt::format("cuDNN {}.{}.{} ({})", version / 10000, version / 100 % 100,
                                 version % 100, cudnn().file);
            });
  return report.c_str();
}

}  // namespace stoker::cuda
