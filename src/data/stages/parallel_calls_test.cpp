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

// As the tuner sets it: a single call is made by the reading thread, several by workers.
TEST(ParallelCalls, ChangeBetweenTheReadingThreadAndOthersInOrder) {
  constexpr int64_t count = 8000, until_changed = 2000;
  std::vector<std::thread::id> callers(count);
  const auto twice = [&](const Array& x) {
    const int64_t i = x.data<int64_t>()[0];
    callers[static_cast<size_t>(i)] = std::this_thread::get_id();
    return Array::scalar(2 * i);
  };
  const Dataset mapped = Dataset::range(count)
                             .filter([](const Array&) { return true; })
                             .map(twice, {.num_parallel_calls = AUTOTUNE});
  Workers workers(4);
  const auto cursor = mapped.stage()->open({.workers = &workers});
  Element element;
  for (int64_t i = 0; i < count; ++i) {
    const bool one = i / until_changed % 2 == 1;
    mapped.stage()->meter().setting.value = one ? 1 : 8;
    ASSERT_TRUE(cursor->next(element));
    EXPECT_EQ(element.array().data<int64_t>()[0], 2 * i);
    if (one && (i + 1) % until_changed == 0) {
      EXPECT_EQ(callers[static_cast<size_t>(i)], std::this_thread::get_id());
    }
  }
  EXPECT_FALSE(cursor->next(element));
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
