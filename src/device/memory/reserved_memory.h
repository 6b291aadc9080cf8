#pragma once
#include <cstdint>
#include <map>

#include "device/backend_interface.h"

namespace stoker::device {

// One block of device memory, sub-allocated first-fit. Freed pieces merge with their neighbours.
// The caller owns the block.
class ReservedMemory {
 public:
  ReservedMemory(void* block, uint64_t bytes);
  void* allocate(uint64_t bytes);  // null: no gap is large enough
  void deallocate(void* memory);
  void* block() const { return block_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t free() const { return free_; }  // the sum of all gaps
  uint64_t largest_gap() const;

 private:
  std::byte* const block_;
  const uint64_t bytes_;
  uint64_t free_;
  std::map<uint64_t, uint64_t> gaps_, pieces_;  // offset → bytes
};

}  // namespace stoker::device
