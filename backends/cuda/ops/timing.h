#pragma once
#include <mutex>

#include "core/round_up.h"
#include "kernel.h"

namespace stoker::cuda {

// Memory for benchmarking kernels while planning, filled with values that are small numbers in
// every floating-point type, with exclusive use of the GPU's stream. False if the GPU does not have
// enough free memory.
class Scratch {
 public:
  Scratch(const Gpu& gpu, uint64_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* take(uint64_t bytes);  // from the start, rounded up to 256
  explicit operator bool() const { return memory_ != 0; }
  static uint64_t rounded(uint64_t bytes) { return round_up(bytes, 256); }

 private:
  const std::lock_guard<std::mutex> alone_;
  CUdeviceptr memory_ = 0;
  uint64_t used_ = 0;
};

// Two events in the GPU's stream, and the time between them.
class Stopwatch {
 public:
  explicit Stopwatch(const Gpu& gpu);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  void start();
  double microseconds();  // since start; waits for the GPU

 private:
  const Gpu& gpu_;
  CUevent begin_ = nullptr, end_ = nullptr;
};

// The time of the kernel for the node inside a CUDA graph, as in a step; 0 if there is not enough
// memory to try.
double microseconds_of(Kernel& kernel, const NodeView& node, const Gpu& gpu);

// The key in disk_cache for a choice made on this GPU with this version of a library.
std::string choice_key(const Gpu& gpu, const char* library, size_t version, const std::string& key);

}  // namespace stoker::cuda
