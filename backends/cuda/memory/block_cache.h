#pragma once
#include <atomic>
#include <map>
#include <unordered_map>
#include <vector>

#include "libraries/library.h"

namespace stoker::cuda {

// Small blocks of a GPU's memory that were given back, for the next one of their size: the driver
// waits for all work on the GPU before it releases memory. A block may be used again at once, as
// what used it before is ahead on the same stream. Whoever holds the GPU's guard uses this.
class BlockCache {
 public:
  static constexpr uint64_t largest_block = uint64_t{1} << 20;
  static constexpr uint64_t most_kept = uint64_t{256} << 20;

  static uint64_t size_of(uint64_t bytes);  // of the block that serves so many
  CUdeviceptr take(uint64_t bytes);         // 0: there is none of that size
  void gave(CUdeviceptr block, uint64_t bytes) { given_[block] = size_of(bytes); }
  bool keep(CUdeviceptr block);  // false: it is not one of these, or enough are kept
  void release();                // gives all that are kept to the driver
  uint64_t kept_bytes() const { return kept_bytes_; }
  // May work on the stream still use a block that has another owner now? Anybody may ask whether
  // there is one; whoever holds the guard, whether this memory is in one, and says so once other
  // streams are behind that work.
  bool any_reused() const { return any_reused_.load(std::memory_order_acquire); }
  bool reused(CUdeviceptr memory) const;
  void keep_reused_in_order();

 private:
  std::unordered_map<CUdeviceptr, uint64_t> given_;    // with their sizes
  std::map<uint64_t, std::vector<CUdeviceptr>> kept_;  // by size
  uint64_t kept_bytes_ = 0;
  std::map<CUdeviceptr, uint64_t> reused_;  // with their sizes
  std::atomic<bool> any_reused_{false};
};

}  // namespace stoker::cuda
