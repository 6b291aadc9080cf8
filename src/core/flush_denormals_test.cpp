#include "core/flush_denormals.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/thread_pool.h"

namespace stoker {
namespace {

// Opaque to the compiler, which would compute with denormals itself.
float half_of(float x) {
  volatile float hidden = x;
  return hidden * 0.5f;
}
constexpr float least_normal = 1.17549435e-38f;

TEST(FlushDenormals, LastsAsLongAsItsScope) {
  EXPECT_GT(half_of(least_normal), 0);
  {
    const FlushDenormals flush;
    EXPECT_EQ(half_of(least_normal), 0);  // a denormal result
    volatile float denormal = 1e-40f;
    EXPECT_EQ(denormal * 1e30f, 0);  // a denormal input
    {
      const CallersDenormals as_usual;
      EXPECT_GT(half_of(least_normal), 0);
    }
    EXPECT_EQ(half_of(least_normal), 0);
  }
  EXPECT_GT(half_of(least_normal), 0);
}

TEST(FlushDenormals, ACallerWhoFlushesIsLeftSo) {
  const FlushDenormals callers_own;
  const FlushDenormals of_a_run;
  const CallersDenormals of_a_function;
  EXPECT_EQ(half_of(least_normal), 0);
}

TEST(FlushDenormals, ThreadsOfAPoolFlush) {
  ThreadPool pool(2);
  const auto caller = std::this_thread::get_id();
  float callers = 0, workers = 1;
  std::atomic<int> arrived{0};
  pool.run(2, [&](int) {
    (std::this_thread::get_id() == caller ? callers : workers) = half_of(least_normal);
    arrived.fetch_add(1);
    while (arrived.load() < 2) std::this_thread::yield();  // one part per thread
  });
  EXPECT_GT(callers, 0);  // the caller's mode
  EXPECT_EQ(workers, 0);
}

}  // namespace
}  // namespace stoker
