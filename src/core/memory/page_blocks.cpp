#include "core/memory/page_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "core/round_up.h"

namespace stoker {
namespace {

constexpr size_t span_bytes = size_t{1} << 20;  // at least one block

std::byte* map_pages(size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

PageBlocks& PageBlocks::global() {
  static auto* const blocks = new PageBlocks;  // leaked: arrays may outlive main
  return *blocks;
}

PageBlocks::~PageBlocks() {
  for (size_t i = 0; i < sizes_.size(); ++i)
    if (sizes_[i].empty) {
      const size_t doubled = page << (i / between), step = doubled / between;
      release(sizes_[i], sizes_[i].empty, doubled + i % between * step);
    }
}

// Size classes are multiples of pages for blocks of at least eight pages.
size_t PageBlocks::rounded(size_t bytes) {
  const size_t step = std::max(page, std::bit_floor(bytes) / between);
  return round_up(bytes, step);
}

size_t PageBlocks::blocks_of_span(size_t block) { return std::max<size_t>(1, span_bytes / block); }

PageBlocks::Sizes& PageBlocks::sizes_of(size_t block) {
  const size_t doubled = std::bit_floor(block);
  const auto doubling = static_cast<size_t>(std::countr_zero(doubled / page));
  return sizes_[doubling * between + (block - doubled) * between / doubled];
}

PageBlocks::Block PageBlocks::take_from(Span& span, std::byte* begin, size_t block) {
  ++span.used;
  if (span.free.empty()) return {begin + span.fresh++ * block, true};
  const size_t number = span.free.back();
  span.free.pop_back();
  return {begin + number * block, false};
}

PageBlocks::Block PageBlocks::take(size_t bytes) {
  const size_t block = rounded(bytes);
  Sizes& sizes = sizes_of(block);
  const std::lock_guard lock(sizes.mutex);
  if (sizes.open.empty()) {
    std::byte* const made = map_pages(blocks_of_span(block) * block);
    if (!made) return {nullptr, false};
    sizes.spans.emplace(made, Span());
    sizes.open.insert(made);
  }
  std::byte* const begin = *sizes.open.begin();
  if (begin == sizes.empty) sizes.empty = nullptr;
  Span& span = sizes.spans[begin];
  const Block taken = take_from(span, begin, block);
  if (span.used == blocks_of_span(block)) sizes.open.erase(begin);
  return taken;
}

void PageBlocks::give(std::byte* memory, size_t bytes) {
  const size_t block = rounded(bytes);
  Sizes& sizes = sizes_of(block);
  const std::lock_guard lock(sizes.mutex);
  const auto found = std::prev(sizes.spans.upper_bound(memory));
  Span& span = found->second;
  span.free.push_back(static_cast<size_t>(memory - found->first) / block);
  sizes.open.insert(found->first);
  if (--span.used > 0) return;
  if (sizes.empty) release(sizes, sizes.empty, block);
  sizes.empty = found->first;
}

void PageBlocks::release(Sizes& sizes, std::byte* begin, size_t block) {
  sizes.spans.erase(begin);
  sizes.open.erase(begin);
  ::munmap(begin, blocks_of_span(block) * block);
}

size_t PageBlocks::mapped_bytes() {
  size_t sum = 0;
  for (size_t i = 0; i < sizes_.size(); ++i) {
    const std::lock_guard lock(sizes_[i].mutex);
    const size_t doubled = page << (i / between),
                 block = doubled + i % between * (doubled / between);
    sum += sizes_[i].spans.size() * blocks_of_span(block) * block;
  }
  return sum;
}

}  // namespace stoker
