#include "device/memory/reserved_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace stoker::device {
namespace {

TEST(ReservedMemory, HandsOutPiecesThatDoNotOverlap) {
  std::vector<std::byte> block(8192);
  ReservedMemory memory(block.data(), block.size());
  auto* a = static_cast<std::byte*>(memory.allocate(1000));
  auto* b = static_cast<std::byte*>(memory.allocate(1000));
  EXPECT_GE(a, block.data());
  EXPECT_TRUE(b >= a + 1000 || a >= b + 1000);
  EXPECT_LE(b + 1000, block.data() + block.size());
  EXPECT_EQ(memory.allocate(8192), nullptr);
}

TEST(ReservedMemory, JoinsFreedNeighbours) {
  std::vector<std::byte> block(4096);
  ReservedMemory memory(block.data(), block.size());
  void* pieces[4];
  for (void*& piece : pieces) piece = memory.allocate(1024);
  EXPECT_EQ(memory.free(), 0u);
  EXPECT_EQ(memory.allocate(1), nullptr);
  memory.deallocate(pieces[0]);
  memory.deallocate(pieces[2]);
  EXPECT_EQ(memory.allocate(2048), nullptr);  // two gaps, neither large enough
  EXPECT_EQ(memory.free(), 2048u);
  EXPECT_EQ(memory.largest_gap(), 1024u);
  memory.deallocate(pieces[1]);  // merges with both neighbours
  EXPECT_EQ(memory.allocate(3072), pieces[0]);
  memory.deallocate(pieces[3]);
  EXPECT_EQ(memory.free(), 1024u);
}

}  // namespace
}  // namespace stoker::device
