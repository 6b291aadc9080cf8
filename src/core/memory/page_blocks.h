#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace stoker {

// An allocator for blocks of a page and more that one thread allocates and another frees. malloc
// has an arena per thread, which such blocks fragment: the resident memory of a pipeline grew for
// hundreds of epochs. Here blocks of a size class share spans of pages, lowest span first, and an
// empty span is returned to the system, except the latest of a class.
class PageBlocks {
 public:
  static constexpr size_t page = 4096, largest = size_t{4} << 20;

  static PageBlocks& global();
  PageBlocks() = default;
  ~PageBlocks();  // all blocks must have been freed
  PageBlocks(const PageBlocks&) = delete;
  PageBlocks& operator=(const PageBlocks&) = delete;

  struct Block {
    std::byte* memory;  // null: out of memory
    bool cleared;       // zero-filled
  };
  Block take(size_t bytes);  // of page to largest
  void give(std::byte* memory, size_t bytes);

  size_t mapped_bytes();  // of all spans

 private:
  struct Span {
    std::vector<size_t> free = {};  // indices of freed blocks
    size_t fresh = 0, used = 0;     // blocks from `fresh` on were never used
  };
  struct Sizes {
    std::mutex mutex;
    std::map<std::byte*, Span> spans;
    std::set<std::byte*> open;   // spans with a free block
    std::byte* empty = nullptr;  // the unused span that is kept
  };
  static size_t rounded(size_t bytes);  // one of eight size classes between two powers of two
  static size_t blocks_of_span(size_t block);
  Sizes& sizes_of(size_t block);
  static Block take_from(Span& span, std::byte* begin, size_t block);
  static void release(Sizes& sizes, std::byte* begin, size_t block);

  static constexpr size_t doublings = 11, between = 8;
  std::array<Sizes, doublings * between> sizes_;
};

}  // namespace stoker
