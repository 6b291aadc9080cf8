#include "device/memory/reserved_memory.h"

#include <algorithm>
#include <iterator>

#include "core/round_up.h"

namespace stoker::device {
namespace {
constexpr uint64_t alignment = 512;
}

ReservedMemory::ReservedMemory(void* block, uint64_t bytes)
    : block_(static_cast<std::byte*>(block)), bytes_(bytes / alignment * alignment), free_(bytes_) {
  gaps_[0] = bytes_;
}

uint64_t ReservedMemory::largest_gap() const {
  uint64_t largest = 0;
  for (const auto& [offset, size] : gaps_) largest = std::max(largest, size);
  return largest;
}

void* ReservedMemory::allocate(uint64_t bytes) {
  const uint64_t wanted = round_up<uint64_t>(std::max<uint64_t>(bytes, 1), alignment);
  const auto gap = std::find_if(gaps_.begin(), gaps_.end(),
                                [wanted](const auto& g) { return g.second >= wanted; });
  if (gap == gaps_.end()) return nullptr;
  const auto [offset, size] = *gap;
  gaps_.erase(gap);
  if (size > wanted) gaps_[offset + wanted] = size - wanted;
  pieces_[offset] = wanted;
  free_ -= wanted;
  return block_ + offset;
}

void ReservedMemory::deallocate(void* memory) {
  const auto piece = pieces_.find(static_cast<uint64_t>(static_cast<std::byte*>(memory) - block_));
  auto gap = gaps_.emplace(*piece).first;
  free_ += piece->second;
  pieces_.erase(piece);
  if (const auto next = std::next(gap);
      next != gaps_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap == gaps_.begin()) return;
  const auto before = std::prev(gap);
  if (before->first + before->second != gap->first) return;
  before->second += gap->second;
  gaps_.erase(gap);
}

}  // namespace stoker::device
