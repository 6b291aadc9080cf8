#pragma once
#include <mutex>

#include "kernel.h"

namespace stoker::cuda {

// Memory for trying kernels out while planning, full of small numbers in every floating type, and
// the GPU's stream to itself. False where the GPU has not that much left.
class Scratch {
 public:
  Scratch(const Gpu& gpu, uint64_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* take(uint64_t bytes);  // from the start on, rounded up to 256
  explicit operator bool() const { return memory_ != 0; }
  static uint64_t rounded(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

 private:
  const std::lock_guard<std::mutex> alone_;
  CUdeviceptr memory_ = 0;
  uint64_t used_ = 0;
};

// Two points in the GPU's stream, and the time between them.
class Stopwatch {
 public:
  explicit Stopwatch(const Gpu& gpu);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  void start();
  double microseconds();  // since start, when the GPU has come this far

 private:
  const Gpu& gpu_;
  CUevent begin_ = nullptr, end_ = nullptr;
};

// What the kernel takes for the node inside a graph, as a step runs it; 0 if there is no room to
// try.
double microseconds_of(Kernel& kernel, const NodeView& node, const Gpu& gpu);

// The key under which disk_cache keeps what was chosen on this GPU with this version of a library.
std::string choice_key(const Gpu& gpu, const char* library, size_t version, const std::string& key);

}  // namespace stoker::cuda
