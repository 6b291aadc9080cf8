#pragma once
#include <atomic>
#include <map>
#include <unordered_map>
#include <vector>

#include "libraries/library.h"

namespace stoker::cuda {

// A cache of freed small blocks of GPU memory, by size class: the driver waits for all work on the
// GPU before it frees memory. A block may be reused immediately, as earlier work on it precedes
// later work on the same stream. Requires the GPU's guard.
class BlockCache {
 public:
  static constexpr uint64_t largest_block = uint64_t{1} << 20;
  static constexpr uint64_t most_kept = uint64_t{256} << 20;

  static uint64_t size_of(uint64_t bytes);  // size class
  CUdeviceptr take(uint64_t bytes);         // 0: none of that size
  void gave(CUdeviceptr block, uint64_t bytes) { given_[block] = size_of(bytes); }
  bool keep(CUdeviceptr block);  // false: not from here, or enough are cached
  void release();                // frees all cached blocks
  uint64_t kept_bytes() const { return kept_bytes_; }
  // May work on the stream still use a block that has a new owner? any_reused() needs no lock;
  // whether this memory is in such a block requires the guard, and is reset once other streams wait
  // for that work.
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
