#pragma once
#include "case.h"
#include "kernel.h"
#include "stoker/array.h"

namespace stoker::bench {

// Owned device memory.
class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* get() const { return reinterpret_cast<void*>(memory_); }

 private:
  CUdeviceptr memory_ = 0;
};

// Copies of a case's tensors on the device: random inputs, and outputs filled with NaN. Alternating
// between several copies keeps a benchmark from running entirely in the cache.
class Arguments {
 public:
  Arguments(const cuda::Gpu& gpu, const Case& the_case, int copies);
  void* const* of(int copy) const { return sets_[static_cast<size_t>(copy)].data(); }
  void spoil_outputs();
  std::vector<Array> outputs() const;  // of the first copy

 private:
  const cuda::Gpu& gpu_;
  const Case& case_;
  std::vector<std::unique_ptr<DeviceMemory>> memory_;
  std::vector<std::vector<void*>> sets_;
};

}  // namespace stoker::bench
