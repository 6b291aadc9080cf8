#include "core/on_threads.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace stoker {
namespace {

TEST(OnThreads, CallsEachOnce) {
  std::vector<std::atomic<int>> calls(100);
  on_threads(calls.size(), [&](size_t i) { ++calls[i]; });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  on_threads(0, [](size_t) { FAIL(); });
}

TEST(OnThreads, ThrowsTheFirstFailureAfterAllHaveEnded) {
  std::atomic<int> ended = 0;
  try {
    on_threads(50, [&](size_t i) {
      ++ended;
      if (i % 7 == 3) throw std::runtime_error(std::to_string(i));
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "3");
  }
  EXPECT_EQ(ended, 50);
}

}  // namespace
}  // namespace stoker
