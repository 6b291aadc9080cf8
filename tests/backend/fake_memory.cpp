#include "fake_memory.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace stoker::fake {

FakeMemory::FakeMemory() {
  void* both =
      mmap(nullptr, 2 * size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  base_ = static_cast<std::byte*>(both);
  if (both == MAP_FAILED || mprotect(base_ + size_, size_, PROT_READ | PROT_WRITE) != 0) {
    std::perror("the fake backend's memory");
    std::abort();
  }
}

void* FakeMemory::allocate(uint64_t bytes, uint64_t limit) {
  const uint64_t wanted = (bytes + 255) / 256 * 256;
  if (used_ + wanted > limit) return nullptr;
  uint64_t offset = 0;
  for (const auto& [begin, size] : pieces_) {
    if (begin - offset >= wanted) break;
    offset = begin + size;
  }
  if (offset + wanted > size_) return nullptr;
  pieces_[offset] = wanted;
  used_ += wanted;
  return base_ + offset;
}

void FakeMemory::deallocate(void* address) {
  const auto piece = pieces_.find(static_cast<uint64_t>(static_cast<std::byte*>(address) - base_));
  if (piece == pieces_.end()) {
    std::fprintf(stderr, "the fake backend was given back %p, which it never gave\n", address);
    std::abort();
  }
  used_ -= piece->second;
  pieces_.erase(piece);
}

bool FakeMemory::owns(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= base_ && at < base_ + size_;
}

}  // namespace stoker::fake
