#include "core/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace stoker {
namespace {

TEST(ThreadPool, RunsEveryPartOnce) {
  ThreadPool pool(3);
  for (int parts : {0, 1, 2, 3, 4, 7, 100}) {
    std::vector<std::atomic<int>> hits(parts);
    pool.run(parts, [&](int part) { hits[part].fetch_add(1); });
    for (const auto& hit : hits) EXPECT_EQ(hit.load(), 1) << parts;
  }
}

TEST(ThreadPool, MakesWritesOfPartsVisible) {
  ThreadPool pool(4);
  std::vector<int> values(64, 0);
  for (int round = 1; round <= 2000; ++round) {
    pool.run(64, [&](int part) { ++values[part]; });
    ASSERT_EQ(std::accumulate(values.begin(), values.end(), 0), 64 * round);
  }
}

TEST(ThreadPool, WakesSleepingWorkers) {
  ThreadPool pool(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> arrived{0};
    // Both parts must run concurrently, which needs two threads.
    pool.run(2, [&](int) {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
    });
    EXPECT_EQ(arrived.load(), 2);
  }
}

TEST(ThreadPool, NestedRunsInline) {
  ThreadPool pool(2);
  std::atomic<int> total{0};
  pool.run(4, [&](int) {
    const auto self = std::this_thread::get_id();
    pool.run(3, [&](int) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      total.fetch_add(1);
    });
  });
  EXPECT_EQ(total.load(), 12);
}

TEST(ThreadPool, ServesSeveralCallers) {
  ThreadPool pool(2);
  std::atomic<int> total{0};
  auto caller = [&] {
    for (int i = 0; i < 500; ++i) pool.run(4, [&](int) { total.fetch_add(1); });
  };
  std::thread other(caller);
  caller();
  other.join();
  EXPECT_EQ(total.load(), 4000);
}

TEST(ThreadPool, SleepsAndWakesAgainAndAgain) {
  ThreadPool pool(4);
  std::atomic<int> total{0};
  for (int round = 0; round < 30; ++round) {
    if (round % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (int parts : {2, 3, 4, 9}) pool.run(parts, [&](int) { total.fetch_add(1); });
  }
  EXPECT_EQ(total.load(), 30 * 18);
}

TEST(ParallelFor, UsesAsManyThreadsAsTheWorkIsWorth) {
  EXPECT_EQ(worthwhile_threads(0, 16), 1);
  EXPECT_EQ(worthwhile_threads(1, 16), 1);
  EXPECT_EQ(worthwhile_threads(2, 16), 2);
  EXPECT_EQ(worthwhile_threads(16, 16), 8);
  EXPECT_EQ(worthwhile_threads(128, 16), 16);
  EXPECT_EQ(worthwhile_threads(1000000, 16), 16);
  for (int64_t grains = 1; grains < 300; ++grains)
    EXPECT_LE(worthwhile_threads(grains, 64), worthwhile_threads(grains + 1, 64));
}

TEST(ParallelFor, CoversTheRangeInOrderedChunks) {
  for (int64_t n : {0, 1, 5, 1000}) {
    std::vector<std::atomic<int>> hits(n);
    parallel_for(n, 10, [&](int64_t begin, int64_t end) {
      EXPECT_LT(begin, end);
      for (int64_t i = begin; i < end; ++i) hits[i].fetch_add(1);
    });
    for (const auto& hit : hits) EXPECT_EQ(hit.load(), 1) << n;
  }
}

}  // namespace
}  // namespace stoker
