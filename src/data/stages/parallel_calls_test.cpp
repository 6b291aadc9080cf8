#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "data/stage.h"

namespace stoker::data {
namespace {

// A function whose calls wait for each other for a while, to observe the maximum concurrency.
class Meeting {
 public:
  Array call(const Array& x) {
    const int inside = ++inside_;
    for (int seen = most_; seen < inside && !most_.compare_exchange_weak(seen, inside);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --inside_;
    return x;
  }
  int most() const { return most_; }

 private:
  std::atomic<int> inside_ = 0, most_ = 0;
};

Dataset numbers_at(Meeting& meeting, const Dataset& before, int64_t calls) {
  return before.map([&](const Array& x) { return meeting.call(x); }, {.num_parallel_calls = calls});
}

void read_with_eight_workers(const Dataset& dataset) {
  Workers workers(8);
  const auto cursor = dataset.stage()->open({.workers = &workers});
  Element element;
  while (cursor->next(element)) {
  }
}

TEST(ParallelCalls, AreNoMoreThanGivenWhereBatchAsksByNumber) {
  Meeting meeting;
  read_with_eight_workers(
      numbers_at(meeting, Dataset::range(40), 3).shuffle(40).repeat(2).batch(8));
  EXPECT_LE(meeting.most(), 3);
}

TEST(ParallelCalls, AreNoMoreThanGivenBehindAnotherMap) {
  Meeting meeting;
  const auto two = numbers_at(meeting, Dataset::range(40), 2);
  const auto unchanged = [](const Array& x) { return x; };
  read_with_eight_workers(two.map(unchanged, {.num_parallel_calls = 6}));
  read_with_eight_workers(two.map(unchanged, {.num_parallel_calls = AUTOTUNE}).batch(4));
  read_with_eight_workers(Dataset::zip({two, Dataset::range(40)}).batch(4));
  EXPECT_LE(meeting.most(), 2);
}

TEST(ParallelCalls, OfABatchAreTuned) {
  Meeting meeting;
  const auto mapped = numbers_at(meeting, Dataset::range(24), AUTOTUNE);
  const auto batches = mapped.batch(8);
  Workers workers(4);
  const auto cursor = batches.stage()->open({.workers = &workers});
  Setting& setting = mapped.stage()->meter().setting;
  EXPECT_TRUE(setting.automatic());
  EXPECT_EQ(setting.value, 8);  // two per thread
  setting.value = 1;
  Element element;
  while (cursor->next(element)) {
  }
  EXPECT_EQ(meeting.most(), 1);
}

}  // namespace
}  // namespace stoker::data
