#include <fmt/format.h>

#include "observe/doctor/checks.h"

// The versions of CUDA's libraries, and whether they match the driver.
namespace stoker::observe {
namespace {

std::string dotted(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// A driver runs what was built for its own major version of CUDA and older.
bool fits(const Visit& visit, int built_for) {
  return visit.driver_cuda == 0 || built_for / 1000 <= visit.driver_cuda / 1000;
}

std::string mend_for_driver(const Visit& visit, const char* package) {
  return fmt::format(
      "pip install {}-cu{}  (or a driver for CUDA 13: sudo apt-get install "
      "nvidia-driver-580)",
      package, visit.driver_cuda / 1000);
}

void missing(Visit& visit, const char* name, const SharedLibrary& library, const char* mend) {
  visit.warn(name, fmt::format("not found: {}.", library.failure()), mend);
}

// A library that reports the CUDA version it was built for: 13000.
void check_pair(Visit& visit, const char* name, const SharedLibrary& library,
                const std::string& version, int built_for, const char* package) {
  const std::string where =
      fmt::format("{} for CUDA {}, {}", version, dotted(built_for), library.file());
  if (fits(visit, built_for)) return visit.ok(name, where);
  visit.wrong(
      name, fmt::format("{}: the driver supports CUDA {} only.", where, dotted(visit.driver_cuda)),
      mend_for_driver(visit, package));
}

void check_runtime(Visit& visit) {
  const SharedLibrary library({"libcudart.so.13", "libcudart.so.12", "libcudart.so"});
  int (*get)(int*) = nullptr;
  int version = 0;
  if (!library.load(get, "cudaRuntimeGetVersion") || get(&version) != 0)
    return missing(visit, "CUDA runtime", library,
                   "pip install nvidia-cuda-runtime  (PyTorch and JAX bring their own)");
  check_pair(visit, "CUDA runtime", library, dotted(version), version, "nvidia-cuda-runtime");
}

void check_nvrtc(Visit& visit) {
  const SharedLibrary library({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  int (*get)(int*, int*) = nullptr;
  int high = 0, low = 0;
  if (!library.load(get, "nvrtcVersion") || get(&high, &low) != 0)
    return missing(visit, "NVRTC", library, "pip install nvidia-cuda-nvrtc");
  const int version = high * 1000 + low * 10;
  check_pair(visit, "NVRTC", library, dotted(version), version, "nvidia-cuda-nvrtc");
}

void check_cublas(Visit& visit) {
  const SharedLibrary library({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"});
  size_t (*get)() = nullptr;
  if (!library.load(get, "cublasLtGetVersion"))
    return missing(visit, "cuBLAS", library, "pip install nvidia-cublas");
  const auto version = static_cast<int>(get());  // 130100: 13.1.0; its major is CUDA's
  check_pair(visit, "cuBLAS", library, fmt::format("{}.{}", version / 10000, version % 10000 / 100),
             version / 10000 * 1000, "nvidia-cublas");
}

void check_cudnn(Visit& visit) {
  const SharedLibrary library({"libcudnn.so.9"});
  size_t (*get)() = nullptr, (*built)() = nullptr;
  if (!library.load(get, "cudnnGetVersion"))
    return missing(visit, "cuDNN", library,
                   "sudo apt-get install libcudnn9-cuda-13  (or: pip "
                   "install nvidia-cudnn-cu13)");
  const size_t version = get();
  const std::string text =
      fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
  const int built_for =
      library.load(built, "cudnnGetCudartVersion") ? static_cast<int>(built()) : 0;
  check_pair(visit, "cuDNN", library, text, built_for, "nvidia-cudnn");
}

void check_nccl(Visit& visit) {
  const SharedLibrary library({"libnccl.so.2"});
  int (*get)(int*) = nullptr;
  int version = 0;
  if (library.load(get, "ncclGetVersion") && get(&version) == 0)
    return visit.ok("NCCL", fmt::format("{}.{}.{}, {}", version / 10000, version % 10000 / 100,
                                        version % 100, library.file()));
  if (visit.nvml.facts().size() > 1)  // not needed for one GPU
    missing(visit, "NCCL", library,
            "sudo apt-get install libnccl2  (or: pip install "
            "nvidia-nccl-cu13)");
}

}  // namespace

void check_libraries(Visit& visit) {
  if (!visit.has_card) return;
  for (auto check : {check_runtime, check_nvrtc, check_cublas, check_cudnn, check_nccl})
    check(visit);
}

}  // namespace stoker::observe
