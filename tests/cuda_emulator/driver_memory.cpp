#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "memory.h"
#include "stream.h"

// The emulated driver's memory.
using namespace stoker::emulator;

namespace {

void* pointer(CUdeviceptr at) { return reinterpret_cast<void*>(at); }

CUresult copy(void* to, const void* from, size_t bytes) {
  std::memmove(to, from, bytes);
  return CUDA_SUCCESS;
}

CUresult check_range(const void* at, size_t bytes, const char* doing) {
  if (contains(at, bytes)) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              fmt::format("{}: {} bytes at {} lie in no allocation", doing, bytes, at));
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  *total = total_memory;
  *free = total_memory - used_memory();
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* memory, size_t bytes) {
  if (const CUresult status = unless_recording("cuMemAlloc")) return status;
  *memory = reinterpret_cast<CUdeviceptr>(allocate(bytes));
  return *memory ? CUDA_SUCCESS : fail(CUDA_ERROR_OUT_OF_MEMORY, "out of memory");
}
CUresult cuMemFree(CUdeviceptr memory) {
  if (const CUresult status = unless_recording("cuMemFree")) return status;
  if (!memory || deallocate(pointer(memory))) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE, fmt::format("{:#x} is no allocation", memory));
}
CUresult cuMemAllocHost(void** memory, size_t bytes) {
  *memory = std::malloc(bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
  std::free(memory);
  return CUDA_SUCCESS;
}
// Emulated kernels read host memory directly.
CUresult cuMemHostRegister(void*, size_t, unsigned int) { return CUDA_SUCCESS; }
CUresult cuMemHostUnregister(void*) { return CUDA_SUCCESS; }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* on_device, void* memory, unsigned int) {
  *on_device = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream) {
  if (const CUresult status = check_range(pointer(to), bytes, "filling")) return status;
  return enqueue(stream, [=] {
    std::memset(pointer(to), byte, bytes);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  if (const CUresult status = check_range(pointer(to), bytes, "copying to")) return status;
  return enqueue(stream, [=] { return copy(pointer(to), from, bytes); });
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  if (const CUresult status = check_range(pointer(from), bytes, "copying from")) return status;
  return enqueue(stream, [=] { return copy(to, pointer(from), bytes); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  if (const CUresult status = check_range(pointer(to), bytes, "copying to")) return status;
  if (const CUresult status = check_range(pointer(from), bytes, "copying from")) return status;
  return enqueue(stream, [=] { return copy(pointer(to), pointer(from), bytes); });
}

}  // extern "C"
