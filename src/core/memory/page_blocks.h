#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace stoker {

// Memory for blocks of a page and more, which one thread takes and another gives back. malloc keeps
// an arena for each thread, where such blocks leave gaps that nothing fits into: the resident
// memory of a pipeline grew for hundreds of epochs. Here blocks of about one size share spans of
// pages, the lowest of which is filled first, and an empty span returns to the system, except the
// latest of a size.
class PageBlocks {
 public:
  static constexpr size_t page = 4096, largest = size_t{4} << 20;

  static PageBlocks& global();
  PageBlocks() = default;
  ~PageBlocks();  // all blocks have been given back
  PageBlocks(const PageBlocks&) = delete;
  PageBlocks& operator=(const PageBlocks&) = delete;

  struct Block {
    std::byte* memory;  // null: the system has none
    bool cleared;       // it is all zeros
  };
  Block take(size_t bytes);  // of page to largest
  void give(std::byte* memory, size_t bytes);

  size_t mapped_bytes();  // of all spans

 private:
  struct Span {
    std::vector<size_t> free = {};  // numbers of blocks that were used before
    size_t fresh = 0, used = 0;     // blocks from `fresh` on were never used
  };
  struct Sizes {
    std::mutex mutex;
    std::map<std::byte*, Span> spans;
    std::set<std::byte*> open;   // spans with a block to take
    std::byte* empty = nullptr;  // the span that nobody uses
  };
  static size_t rounded(size_t bytes);  // to one of eight sizes between two powers of two
  static size_t blocks_of_span(size_t block);
  Sizes& sizes_of(size_t block);
  static Block take_from(Span& span, std::byte* begin, size_t block);
  static void release(Sizes& sizes, std::byte* begin, size_t block);

  static constexpr size_t doublings = 11, between = 8;
  std::array<Sizes, doublings * between> sizes_;
};

}  // namespace stoker
