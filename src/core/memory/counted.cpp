#include "core/memory/counted.h"

#include <sys/mman.h>

#include <cstdlib>

#include "core/memory/page_blocks.h"
#include "core/round_up.h"

namespace stoker {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool own_blocks = false;  // so that the sanitizer sees every allocation
#else
constexpr bool own_blocks = true;
#endif

constexpr size_t line = 64, huge_page = size_t{2} << 20;

bool in_pages(size_t bytes) {
  return own_blocks && bytes >= PageBlocks::page && bytes <= PageBlocks::largest;
}
bool in_huge_pages(size_t bytes) { return own_blocks && bytes > PageBlocks::largest; }

size_t whole_pages(size_t bytes, size_t page = PageBlocks::page) { return round_up(bytes, page); }

// Only touched pages.
int64_t resident(size_t bytes) {
  return static_cast<int64_t>(bytes < PageBlocks::page ? bytes : whole_pages(bytes));
}

std::byte* of_the_heap(size_t bytes) {
  return static_cast<std::byte*>(std::aligned_alloc(line, (bytes + line) / line * line));
}

// Rows gathered from a large array are pages apart: huge pages reduce TLB misses.
std::byte* map_huge(size_t bytes) {
  const size_t wanted = whole_pages(bytes, huge_page), with_edges = wanted + huge_page;
  void* const memory =
      ::mmap(nullptr, with_edges, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(memory);
  const size_t before = huge_page - reinterpret_cast<uintptr_t>(begin) % huge_page;
  ::munmap(begin, before);
  if (before < huge_page) ::munmap(begin + before + wanted, huge_page - before);
  ::madvise(begin + before, wanted, MADV_HUGEPAGE);  // a hint only
  return begin + before;
}

HostBlock take(size_t bytes) {
  if (in_huge_pages(bytes)) return {map_huge(bytes), true};
  if (!in_pages(bytes)) return {of_the_heap(bytes), false};
  const PageBlocks::Block block = PageBlocks::global().take(bytes);
  return {block.memory, block.cleared};
}

size_t number_of_thread() {
  static std::atomic<size_t> threads = 0;
  thread_local const size_t number = threads++;
  return number;
}

}  // namespace

PipelineBytes& PipelineBytes::global() {
  static auto* const bytes = new PipelineBytes;  // leaked: arrays may outlive main
  return *bytes;
}

void PipelineBytes::add(int64_t bytes) {
  parts_[number_of_thread() % parts_.size()].bytes.fetch_add(bytes, std::memory_order_relaxed);
}

int64_t PipelineBytes::sum() const {
  int64_t sum = 0;
  for (const Part& part : parts_) sum += part.bytes.load(std::memory_order_relaxed);
  return sum;
}

HostBlock take_host(size_t bytes, bool counted) {
  const HostBlock taken = take(bytes);
  if (counted && taken.memory) PipelineBytes::global().add(resident(bytes));
  return taken;
}

void give_host(std::byte* memory, size_t bytes, bool counted) {
  if (counted) PipelineBytes::global().add(-resident(bytes));
  if (in_pages(bytes))
    PageBlocks::global().give(memory, bytes);
  else if (in_huge_pages(bytes))
    ::munmap(memory, whole_pages(bytes, huge_page));
  else
    std::free(memory);
}

std::shared_ptr<std::byte> share_host(size_t bytes) {
  const bool counted = InPipeline::here();
  std::byte* const memory = take_host(bytes, counted).memory;
  if (!memory) throw std::bad_alloc();
  return {memory, [=](std::byte* p) { give_host(p, bytes, counted); }};
}

}  // namespace stoker
