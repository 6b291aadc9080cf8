#include "memory/block_cache.h"

#include <bit>

#include "core/round_up.h"

namespace stoker::cuda {

// Size classes are quarters of powers of two: at most a fifth is wasted.
uint64_t BlockCache::size_of(uint64_t bytes) {
  constexpr uint64_t smallest = 512;
  if (bytes <= smallest) return smallest;
  const uint64_t quarter = std::bit_floor(bytes - 1) / 4;
  return round_up(bytes, quarter);
}

CUdeviceptr BlockCache::take(uint64_t bytes) {
  const auto found = kept_.find(size_of(bytes));
  if (found == kept_.end() || found->second.empty()) return 0;
  const CUdeviceptr block = found->second.back();
  found->second.pop_back();
  kept_bytes_ -= found->first;
  given_[block] = reused_[block] = found->first;
  any_reused_ = true;
  return block;
}

bool BlockCache::reused(CUdeviceptr memory) const {
  auto behind = reused_.upper_bound(memory);
  if (behind == reused_.begin()) return false;
  const auto& [block, size] = *--behind;
  return memory < block + size;
}

void BlockCache::keep_reused_in_order() {
  reused_.clear();
  any_reused_.store(false, std::memory_order_release);
}

bool BlockCache::keep(CUdeviceptr block) {
  const auto found = given_.find(block);
  if (found == given_.end()) return false;
  const uint64_t size = found->second;
  given_.erase(found);
  reused_.erase(block);
  if (kept_bytes_ + size > most_kept) return false;
  kept_[size].push_back(block);
  kept_bytes_ += size;
  return true;
}

void BlockCache::release() {
  for (const auto& [size, blocks] : kept_)
    for (const CUdeviceptr block : blocks) check(driver().cuMemFree(block), "releasing memory");
  kept_.clear();
  kept_bytes_ = 0;
}

}  // namespace stoker::cuda
