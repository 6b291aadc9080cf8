#include "data/batch_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "data/tuning/byte_account.h"

namespace stoker::data {
namespace {

constexpr size_t alignment = 64;
constexpr size_t large = 128 * 1024;
constexpr size_t most_free = 16;  // blocks; the oldest are freed first

[[noreturn]] void refuse(size_t bytes) {
  throw OutOfMemory(fmt::format("cannot allocate {} bytes for a batch.", bytes));
}

// The same block, counted in the memory account while it exists.
std::shared_ptr<std::byte> accounted(std::shared_ptr<std::byte> block, size_t bytes) {
  const auto counted = static_cast<int64_t>(bytes);
  ByteAccount::global().add(counted);
  std::byte* const data = block.get();
  return {data, [counted, block = std::move(block)](auto*) mutable {
            block.reset();
            ByteAccount::global().add(-counted);
          }};
}

// Directly from the operating system: large blocks that come and go on the heap fragment it, and
// resident memory grows for hundreds of epochs.
std::shared_ptr<std::byte> pages(size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse(bytes);
  return {static_cast<std::byte*>(memory), [bytes](std::byte* p) { ::munmap(p, bytes); }};
}

}  // namespace

BatchMemory::~BatchMemory() = default;

BatchMemory::Block BatchMemory::allocate(size_t bytes) {
  if (bytes >= large) return pages(bytes);
  const size_t padded = (bytes + alignment) / alignment * alignment;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(alignment, padded));
  if (!memory) refuse(bytes);
  return {memory, [](std::byte* p) { std::free(p); }};
}

std::shared_ptr<const std::byte> BatchMemory::take(size_t bytes) {
  Block block;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(free_.begin(), free_.end(),
                                    [&](const auto& entry) { return entry.first == bytes; });
    if (found != free_.end()) {
      block = std::move(found->second);
      free_.erase(found);
    }
  }
  if (!block) block = accounted(allocate(bytes), bytes);
  const std::byte* const data = block.get();
  return {data, [self = shared_from_this(), bytes, block = std::move(block)](auto*) mutable {
            self->give_back(bytes, std::move(block));
          }};
}

void BatchMemory::give_back(size_t bytes, Block block) {
  const std::lock_guard lock(mutex_);
  if (free_.size() == most_free) free_.erase(free_.begin());
  free_.emplace_back(bytes, std::move(block));
}

}  // namespace stoker::data
