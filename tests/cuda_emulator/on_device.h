#pragma once
#include <vector>

#include "context.h"

namespace stoker::cuda {

// Values in the first device's memory.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : size_(values.size()) {
    check(driver().cuMemAlloc(&memory_, bytes()), "allocating");
    check(driver().cuMemcpyHtoDAsync(memory_, values.data(), bytes(), gpu(0).stream), "copying");
  }
  ~OnDevice() { driver().cuMemFree(memory_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  size_t bytes() const { return size_ * sizeof(T); }
  void* at() const { return reinterpret_cast<void*>(memory_); }
  std::vector<T> values() const {
    std::vector<T> out(size_);
    check(driver().cuMemcpyDtoHAsync(out.data(), memory_, bytes(), gpu(0).stream), "copying");
    return out;
  }

 private:
  size_t size_;
  CUdeviceptr memory_ = 0;
};

// An allocator for programs run without the engine.
inline const StokerAllocator drivers_memory{
    nullptr,
    [](void*, uint64_t bytes, const char*) {
      CUdeviceptr memory = 0;
      driver().cuMemAlloc(&memory, bytes);
      return reinterpret_cast<void*>(memory);
    },
    [](void*, void* memory) { driver().cuMemFree(reinterpret_cast<CUdeviceptr>(memory)); }};

}  // namespace stoker::cuda
