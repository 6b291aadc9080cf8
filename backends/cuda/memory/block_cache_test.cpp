#include "memory/block_cache.h"

#include <gtest/gtest.h>

namespace stoker::cuda {
namespace {

TEST(BlockCache, RoundsToSizesThatOthersCanUse) {
  EXPECT_EQ(BlockCache::size_of(0), 512u);
  EXPECT_EQ(BlockCache::size_of(512), 512u);
  EXPECT_EQ(BlockCache::size_of(513), 640u);
  EXPECT_EQ(BlockCache::size_of(1024), 1024u);
  EXPECT_EQ(BlockCache::size_of(25088), 28672u);
  for (uint64_t bytes = 1; bytes < 5000; ++bytes) {
    EXPECT_GE(BlockCache::size_of(bytes), bytes);
    EXPECT_EQ(BlockCache::size_of(BlockCache::size_of(bytes)), BlockCache::size_of(bytes));
  }
}

TEST(BlockCache, GivesTheLatestOfASizeAgain) {
  BlockCache cache;
  EXPECT_EQ(cache.take(100), 0u);
  cache.gave(1000, 100);
  cache.gave(2000, 100);
  cache.gave(3000, 600);
  EXPECT_FALSE(cache.any_reused());
  for (CUdeviceptr block : {1000, 2000, 3000}) EXPECT_TRUE(cache.keep(block));
  EXPECT_EQ(cache.kept_bytes(), 512u + 512 + 640);
  EXPECT_EQ(cache.take(7), 2000u);
  EXPECT_TRUE(cache.any_reused());
  for (CUdeviceptr memory : {2000, 2511}) EXPECT_TRUE(cache.reused(memory));
  for (CUdeviceptr memory : {0, 1000, 1999, 2512, 3000}) EXPECT_FALSE(cache.reused(memory));
  EXPECT_TRUE(cache.reused(2000));  // until it is reset
  cache.keep_reused_in_order();
  EXPECT_FALSE(cache.any_reused());
  EXPECT_FALSE(cache.reused(2000));
  EXPECT_EQ(cache.take(512), 1000u);
  EXPECT_EQ(cache.take(512), 0u);
  EXPECT_EQ(cache.take(639), 3000u);
  EXPECT_EQ(cache.kept_bytes(), 0u);
}

TEST(BlockCache, ABlockThatWasGivenBackIsNobodysAgain) {
  BlockCache cache;
  cache.gave(1000, 100);
  EXPECT_TRUE(cache.keep(1000));
  EXPECT_EQ(cache.take(100), 1000u);
  EXPECT_TRUE(cache.keep(1000));
  EXPECT_FALSE(cache.reused(1000));
}

TEST(BlockCache, KeepsNoForeignBlocksAndNotTooMany) {
  BlockCache cache;
  EXPECT_FALSE(cache.keep(1000));
  uint64_t kept = 0;
  for (CUdeviceptr block = 1; block <= 1000; ++block) {
    cache.gave(block, BlockCache::largest_block);
    kept += cache.keep(block) ? 1 : 0;
  }
  EXPECT_EQ(kept, BlockCache::most_kept / BlockCache::largest_block);
}

}  // namespace
}  // namespace stoker::cuda
