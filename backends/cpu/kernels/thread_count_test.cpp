#include "kernels/thread_count.h"

#include <gtest/gtest.h>

namespace stoker::cpu {
namespace {

TEST(ThreadsForProducts, GrowWithTheWorkAndNeverExceedTheThreads) {
  EXPECT_EQ(threads_for_products(0, 8, 16), 1);
  EXPECT_EQ(threads_for_products(32 * 32 * 32, 8, 16), 1);
  EXPECT_EQ(threads_for_products(2 * 48000, 8, 16), 2);
  EXPECT_EQ(threads_for_products(2 * 48000, 16, 16), 1);  // wider vectors are faster
  EXPECT_EQ(threads_for_products(1024.0 * 1024 * 1024, 16, 16), 16);
  EXPECT_EQ(threads_for_products(1024.0 * 1024 * 1024, 16, 3), 3);
}

}  // namespace
}  // namespace stoker::cpu
