#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <set>
#include <thread>

#include "data/stage.h"
#include "data/start_thread.h"

namespace stoker::data {
namespace {

using Numbers = std::vector<int64_t>;

int64_t value_of(const Array& array) { return array.data<int64_t>()[0]; }

Numbers read(const Dataset& dataset, int64_t skip = 0) {
  const auto cursor = dataset.stage()->open({.seed = 7, .pass = 2});
  cursor->skip(skip);
  Numbers all;
  for (Element element; cursor->next(element);) all.push_back(value_of(element.array()));
  return all;
}

// Dataset i has i * 7 % 5 elements, 100 * i … plus a random number each.
Dataset part(const Array& number) {
  const int64_t i = value_of(number);
  return Dataset::range(100 * i, 100 * i + i * 7 % 5)
      .filter([](const Array&) { return true; })
      .map([](const Array& x, Random& random) {
        return Array::scalar(1000 * value_of(x) + random.below(1000));
      });
}
Dataset parts(const InterleaveArgs& args) { return Dataset::range(20).interleave(part, args); }

TEST(Interleave, ReadsAheadInTheSameOrder) {
  for (const int64_t cycle : {1, 3, 16, 30})
    for (const int64_t block : {1, 2, 5}) {
      const Numbers want = read(parts({.cycle_length = cycle, .block_length = block}));
      EXPECT_EQ(want.size(), 40u);
      for (const int64_t calls : {AUTOTUNE, int64_t{1}, int64_t{2}}) {
        const Dataset ahead =
            parts({.cycle_length = cycle, .block_length = block, .num_parallel_calls = calls});
        EXPECT_EQ(read(ahead), want);
        EXPECT_EQ(read(ahead, 17), Numbers(want.begin() + 17, want.end()));
      }
    }
}

TEST(Interleave, ReadsAheadWithoutAnOrderIfAllowed) {
  Numbers want = read(parts({.cycle_length = 4}));
  const Dataset any =
      parts({.cycle_length = 4, .num_parallel_calls = AUTOTUNE, .deterministic = false});
  Numbers got = read(any);
  std::ranges::sort(want);
  std::ranges::sort(got);
  EXPECT_EQ(got, want);
  EXPECT_FALSE(any.stage()->keeps_order());
  EXPECT_TRUE(parts({.cycle_length = 4, .deterministic = false}).stage()->keeps_order());
}

// Errors of the inputs, of the function and of its datasets, each in its turn.
TEST(Interleave, ThrowsAheadWhatItThrowsWithout) {
  const auto fails_at = [](int64_t divisor) {
    return [divisor](const Array& x) -> Array {
      if (value_of(x) % divisor == divisor - 1) throw std::runtime_error("no");
      return x;
    };
  };
  const auto outcome = [&](int64_t calls) {
    const auto function = [&](const Array& number) {
      const int64_t i = value_of(number);
      if (i % 5 == 3) throw std::runtime_error("not this one");
      return Dataset::range(10 * i, 10 * i + 4).map(fails_at(7));
    };
    Numbers all;
    const Dataset dataset =
        Dataset::range(12)
            .map(fails_at(6))
            .interleave(function, {.cycle_length = 3, .num_parallel_calls = calls});
    const IgnoreErrorsArgs noting{
        .report = [&](int64_t number, const Error&) { all.push_back(-number); }};
    for (const Array& x : dataset.ignore_errors(noting)) all.push_back(value_of(x));
    return all;
  };
  const Numbers want = outcome(0);
  EXPECT_GT(std::ranges::count_if(want, [](int64_t x) { return x < 0; }), 5);
  EXPECT_EQ(outcome(AUTOTUNE), want);
  EXPECT_EQ(outcome(1), want);
}

// The first elements of two datasets wait for each other.
TEST(Interleave, ReadsDatasetsConcurrently) {
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  const auto meet = [&](const Array& x) {
    std::unique_lock lock(mutex);
    ++begun;
    changed.notify_all();
    const bool met = changed.wait_for(lock, std::chrono::seconds(20), [&] { return begun > 1; });
    return Array::scalar<int64_t>(met ? value_of(x) : -1);
  };
  const auto both = Dataset::range(2).interleave(
      [&](const Array& i) { return Dataset::from_tensors(i).map(meet); },
      {.cycle_length = 2, .num_parallel_calls = AUTOTUNE});
  EXPECT_EQ(read(both), (Numbers{0, 1}));
}

TEST(Interleave, MayBeLeftInTheMiddle) {
  for (int64_t length : {0, 1, 5}) {
    const auto endless = Dataset::range(100).interleave(
        [](const Array&) { return Dataset::counter().batch(3).unbatch(); },
        {.cycle_length = 8, .num_parallel_calls = 2});
    const auto cursor = endless.stage()->open({});
    for (Element element; length > 0 && cursor->next(element);) --length;
  }
}

// Of 200 datasets in turn.
TEST(Interleave, StartsNoMoreThreadsThanParallelCalls) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto note = [&](const Array& x) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    return x;
  };
  const auto two = [&](const Array& x) {
    return Dataset::from_tensors(x).repeat(2).filter([](const Array&) { return true; }).map(note);
  };
  const auto many = [&](int64_t calls) {
    threads.clear();
    return read(
        Dataset::range(300).interleave(two, {.cycle_length = 200, .num_parallel_calls = calls}));
  };
  const Numbers want = many(0);
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
  EXPECT_EQ(many(3), want);
  EXPECT_LE(threads.size(), 3u);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
  EXPECT_EQ(many(AUTOTUNE), want);
  EXPECT_LE(threads.size(), 64u);
}

// The waiting thread does the work, and nothing is lost.
TEST(Interleave, NeedsNoThreads) {
  const auto all = [] {
    Workers workers(3);
    const auto dataset = parts({.cycle_length = 4, .num_parallel_calls = 3})
                             .map([](const Array& x) { return x; }, {.num_parallel_calls = 2})
                             .prefetch(2);
    const auto cursor = dataset.stage()->open({.seed = 7, .pass = 2, .workers = &workers});
    Numbers numbers;
    for (Element element; cursor->next(element);) numbers.push_back(value_of(element.array()));
    return numbers;
  };
  const Numbers want = all();
  no_thread_starts = true;
  const Numbers alone = all();
  no_thread_starts = false;
  EXPECT_EQ(alone, want);
  EXPECT_EQ(want.size(), 40u);
}

TEST(Interleave, SaysWhatIsWrong) {
  const auto with = [](const InterleaveArgs& args) { return parts(args); };
  EXPECT_THROW(with({.num_parallel_calls = -3}), InvalidArgument);
  EXPECT_THROW(with({.block_length = 0}), InvalidArgument);
  EXPECT_THROW(with({.cycle_length = 0}), InvalidArgument);
}

}  // namespace
}  // namespace stoker::data
