#include "core/memory/page_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "core/memory/counted.h"
#include "stoker/array.h"

namespace stoker {
namespace {

constexpr size_t page = PageBlocks::page;

TEST(PageBlocks, OfAllSizesLieApartAndKeepTheirBytes) {
  PageBlocks blocks;
  struct Taken {
    std::byte* memory;
    size_t bytes;
    int mark;
  };
  std::vector<Taken> taken;
  std::minstd_rand draw(1);
  for (int i = 0; i < 2000; ++i) {
    if (taken.size() < 40 || draw() % 2 == 0) {
      const size_t bytes = page + draw() % (i % 10 == 0 ? PageBlocks::largest - page : 20 * page);
      const auto block = blocks.take(bytes);
      EXPECT_TRUE(!block.cleared || block.memory[bytes - 1] == std::byte{0});
      taken.push_back({block.memory, bytes, i % 251});
      std::memset(block.memory, i % 251, bytes);
    } else {
      std::swap(taken[draw() % taken.size()], taken.back());
      const Taken& one = taken.back();
      EXPECT_TRUE(std::all_of(one.memory, one.memory + one.bytes,
                              [&](std::byte b) { return b == std::byte(one.mark); }));
      blocks.give(one.memory, one.bytes);
      taken.pop_back();
    }
  }
  for (const Taken& one : taken) blocks.give(one.memory, one.bytes);
}

TEST(PageBlocks, ReturnEmptySpansButTheLatestOfASize) {
  PageBlocks blocks;
  std::vector<std::byte*> taken;
  for (int i = 0; i < 1000; ++i) taken.push_back(blocks.take(3 * page).memory);
  EXPECT_GE(blocks.mapped_bytes(), 3000 * page);
  EXPECT_LE(blocks.mapped_bytes(), 3400 * page);
  for (std::byte* memory : taken) blocks.give(memory, 3 * page);
  EXPECT_LE(blocks.mapped_bytes(), 256 * page);
  EXPECT_GT(blocks.mapped_bytes(), 0u);
}

// Elements of a buffer come and go: the lowest spans are refilled.
TEST(PageBlocks, TakeNoMoreThanTheyEverHeld) {
  PageBlocks blocks;
  std::vector<std::byte*> kept;
  std::minstd_rand draw(2);
  for (int i = 0; i < 500; ++i) kept.push_back(blocks.take(5 * page).memory);
  const size_t at_first = blocks.mapped_bytes();
  for (int i = 0; i < 20'000; ++i) {
    std::swap(kept[draw() % kept.size()], kept.back());
    blocks.give(kept.back(), 5 * page);
    kept.back() = blocks.take(5 * page).memory;
  }
  EXPECT_EQ(blocks.mapped_bytes(), at_first);
  for (std::byte* memory : kept) blocks.give(memory, 5 * page);
}

TEST(PipelineBytes, AreThoseOfArraysAndStringsThatAPipelineMade) {
  const auto sum = [] { return PipelineBytes::global().sum(); };
  const int64_t before = sum();
  const Array outside(DType::float32, {3000});
  EXPECT_EQ(sum(), before);
  {
    const auto made = [] {
      const InPipeline scope;
      return std::pair(Array(DType::uint8, {3 * int64_t{page} + 1}),
                       Array::string(std::string(2 * page, 'x')));
    }();
    EXPECT_GE(sum() - before, int64_t{6 * page});
    EXPECT_LE(sum() - before, int64_t{8 * page});
    const Array view = outside.rows(0, 10);
    EXPECT_EQ(made.second.text().size(), 2 * page);
  }
  EXPECT_EQ(sum(), before);
}

}  // namespace
}  // namespace stoker
