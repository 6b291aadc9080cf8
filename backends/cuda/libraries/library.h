#pragma once
#include <cuda.h>
#include <nvrtc.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace stoker::cuda {

// A missing or failed part of CUDA; what() is a complete sentence.
struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A shared library opened at run time. STOKER_CUDA_LIBRARIES names folders to
// look in first, separated by colons.
class Library {
 public:
  // Opens the first file name that works, in the folders of STOKER_CUDA_LIBRARIES or the system's;
  // throws CudaError with all names tried.
  Library(
      const std::string& what, const std::vector<std::string>& names,
      const std::string& advice = " STOKER_CUDA_LIBRARIES or LD_LIBRARY_PATH can name its folder.");
  void* symbol(const char* name) const;  // throws CudaError
  bool has(const char* name) const;
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  void* handle_ = nullptr;
};

// The name after the headers' macros map functions to versioned ones.
#define STOKER_NAME_OF(function) STOKER_NAME_OF_EXPANDED(function)
#define STOKER_NAME_OF_EXPANDED(function) #function
#define STOKER_MEMBER(function) decltype(&::function) function;

// clang-format off
#define STOKER_DRIVER_FUNCTIONS(F) \
  F(cuInit) F(cuDriverGetVersion) F(cuGetErrorString) F(cuGetErrorName) \
  F(cuDeviceGetCount) F(cuDeviceGet) F(cuDeviceGetName) F(cuDeviceGetAttribute) F(cuDeviceGetPCIBusId) \
  F(cuDevicePrimaryCtxRetain) F(cuCtxSetCurrent) F(cuCtxSynchronize) F(cuMemGetInfo) \
  F(cuMemAlloc) F(cuMemFree) F(cuMemsetD8Async) \
  F(cuMemAllocHost) F(cuMemFreeHost) F(cuMemHostRegister) F(cuMemHostUnregister) F(cuMemHostGetDevicePointer) \
  F(cuMemcpyHtoDAsync) F(cuMemcpyDtoHAsync) F(cuMemcpyDtoDAsync) \
  F(cuStreamCreate) F(cuStreamSynchronize) F(cuStreamWaitEvent) F(cuStreamBeginCapture) F(cuStreamEndCapture) \
  F(cuStreamGetCaptureInfo_v3) F(cuStreamUpdateCaptureDependencies_v2) \
  F(cuEventCreate) F(cuEventRecord) F(cuEventSynchronize) F(cuEventQuery) F(cuEventDestroy) \
  F(cuModuleLoadData) F(cuModuleGetFunction) F(cuModuleUnload) \
  F(cuFuncSetAttribute) F(cuFuncGetAttribute) F(cuLaunchKernelEx) F(cuOccupancyMaxActiveClusters) \
  F(cuGraphInstantiate) F(cuGraphLaunch) F(cuGraphDestroy) F(cuGraphExecDestroy) F(cuGraphGetNodes) F(cuGraphNodeGetType)

#define STOKER_NVRTC_FUNCTIONS(F) \
  F(nvrtcVersion) F(nvrtcCreateProgram) F(nvrtcCompileProgram) F(nvrtcDestroyProgram) \
  F(nvrtcGetProgramLogSize) F(nvrtcGetProgramLog) F(nvrtcGetCUBINSize) F(nvrtcGetCUBIN) \
  F(nvrtcGetPTXSize) F(nvrtcGetPTX) F(nvrtcGetErrorString) \
  F(nvrtcGetNumSupportedArchs) F(nvrtcGetSupportedArchs)
// clang-format on

struct Driver {
  STOKER_DRIVER_FUNCTIONS(STOKER_MEMBER)
  STOKER_MEMBER(cuEventElapsedTime)  // unversioned: drivers before CUDA 12.8 lack the other
  int version = 0;                   // supported CUDA version: 13000 is 13.0
  bool serves_libraries = false;  // a real driver, as NVIDIA's libraries need more of it than we do
};
struct Nvrtc {
  STOKER_NVRTC_FUNCTIONS(STOKER_MEMBER)
  int version = 0;
  std::string file;
  std::vector<int> architectures;  // supported ones: 80, …, 90
};

// Counters of driver calls that a running step must not make.
struct DriverCounters {
  std::atomic<uint64_t> allocations{0}, waits{0}, launches{0}, graph_launches{0};
};
DriverCounters& driver_counters();

// Opened and initialised on first use; each throws CudaError with the reason, on every call.
const Driver& driver();
const Nvrtc& nvrtc();

// Throws CudaError with the driver's message for the status.
void check(CUresult status, const char* doing);

std::string version_text(int version);  // 13000 → "13.0"

}  // namespace stoker::cuda
