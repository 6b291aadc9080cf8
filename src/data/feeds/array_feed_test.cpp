#include "data/feeds/array_feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "data/shuffle.h"
#include "device/scope.h"
#include "stoker/device.h"

namespace stoker::data {
namespace {

Array column(int64_t samples) {
  Array x(DType::int64, {samples});
  std::iota(x.mutable_data<int64_t>().begin(), x.mutable_data<int64_t>().end(), int64_t{0});
  return x;
}

enum class Order { as_given, shuffled };

ArrayFeed feed_of(int64_t samples, Order order, const FeedOptions& options) {
  const ArraySource source({column(samples)}, order == Order::shuffled);
  const device::Device device = device::current_device("test");
  return {source, source.plan(device), device, options};
}

std::vector<int64_t> rows_of(const Batch& batch, size_t input) {
  std::vector<int64_t> rows;
  for (int64_t step = 0; step < batch.count; ++step) {
    const auto* at = reinterpret_cast<const int64_t*>(
        static_cast<const std::byte*>(batch.inputs[input]) + step * batch.strides[input]);
    rows.insert(rows.end(), at, at + batch.rows);
  }
  return rows;
}

TEST(ArrayFeed, HandsOutSeveralBatchesThatLieBehindEachOther) {
  const Device host("/cpu:0");
  ArrayFeed feed = feed_of(10, Order::as_given, {.batch_size = 3});
  feed.start(0);
  Batch batch;
  ASSERT_TRUE(feed.next(batch, 2));
  EXPECT_EQ(batch.count, 2);
  EXPECT_EQ(rows_of(batch, 0), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  ASSERT_TRUE(feed.next(batch, 5));  // one full batch is left; the remainder has another size
  EXPECT_EQ(batch.count, 1);
  EXPECT_EQ(rows_of(batch, 0), (std::vector<int64_t>{6, 7, 8}));
  ASSERT_TRUE(feed.next(batch, 5));
  EXPECT_EQ(batch.rows, 1);
  EXPECT_EQ(rows_of(batch, 0), (std::vector<int64_t>{9}));
  EXPECT_FALSE(feed.next(batch, 5));
}

// Together the ranks' slices are the batches of a single process.
TEST(ArrayFeed, DividesEveryBatchAmongRanks) {
  const Device host("/cpu:0");
  const ArraySource source({column(10)}, false);
  const device::Device device = device::current_device("test");
  std::vector<int64_t> seen;
  for (int64_t rank = 0; rank < 3; ++rank) {
    FeedPlan plan = source.plan(device);
    plan.division = {rank, 3};
    ArrayFeed feed(source, plan, device, {.batch_size = 4});
    feed.start(0);
    Batch batch;
    ASSERT_TRUE(feed.next(batch, 2));
    EXPECT_EQ(batch.rows, 4);  // of all ranks
    const distribution::Slice slice = plan.slice(4);
    EXPECT_EQ((*batch.types)[0].shape[0], slice.here);
    for (int64_t step = 0; step < 2; ++step) {
      const auto* at = reinterpret_cast<const int64_t*>(
          static_cast<const std::byte*>(batch.inputs[0]) + step * batch.strides[0]);
      seen.insert(seen.end(), at, at + slice.here);
    }
    ASSERT_TRUE(feed.next(batch, 2));  // fewer rows than ranks: each gets both
    EXPECT_EQ((*batch.types)[0].shape[0], 2);
    EXPECT_EQ(rows_of(batch, 0), (std::vector<int64_t>{8, 9}));
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// The device need not copy a single batch to an input slot.
TEST(ArrayFeed, ASingleBatchLiesStill) {
  const Device host("/cpu:0");
  for (const int64_t batch_size : {10, 20, 5}) {
    ArrayFeed feed = feed_of(10, Order::as_given, {.batch_size = batch_size});
    feed.start(0);
    Batch batch;
    ASSERT_TRUE(feed.next(batch, 4));
    EXPECT_EQ(batch.strides[0], batch_size >= 10 ? 0 : 5 * 8) << batch_size;
    EXPECT_EQ(rows_of(batch, 0).size(), 10u);
  }
}

// So many that several threads draw the permutation.
TEST(ArrayFeed, OrdersManySamplesEachOnce) {
  std::vector<int64_t> order(50000), again(50000), other(50000);
  permute(order, 3, 1);
  permute(again, 3, 1);
  permute(other, 3, 2);
  EXPECT_EQ(order, again);
  EXPECT_NE(order, other);
  EXPECT_EQ(std::set<int64_t>(order.begin(), order.end()).size(), order.size());
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), 49999);
}

TEST(ArrayFeed, ShowsEverySampleOncePerEpochInAnotherOrder) {
  const Device host("/cpu:0");
  ArrayFeed feed = feed_of(100, Order::shuffled, {.batch_size = 7, .seed = 3});
  std::vector<std::vector<int64_t>> epochs;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    feed.start(epoch);
    feed.prepare(epoch + 1);
    std::vector<int64_t> seen;
    Batch batch;
    while (feed.next(batch, 4)) {
      const auto rows = rows_of(batch, 0);
      seen.insert(seen.end(), rows.begin(), rows.end());
    }
    EXPECT_EQ(std::set<int64_t>(seen.begin(), seen.end()).size(), 100u);
    EXPECT_EQ(seen.size(), 100u);
    epochs.push_back(seen);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

std::vector<int64_t> rest_of(ArrayFeed& feed) {
  std::vector<int64_t> seen;
  Batch batch;
  while (feed.next(batch, 4)) {
    const auto rows = rows_of(batch, 0);
    seen.insert(seen.end(), rows.begin(), rows.end());
  }
  return seen;
}

TEST(ArrayFeed, GoesOnWhereAnotherStood) {
  const Device host("/cpu:0");
  ArrayFeed first = feed_of(20, Order::shuffled, {.batch_size = 3, .seed = 3});
  first.start(5);
  Batch batch;
  first.next(batch, 2);
  ArrayFeed second = feed_of(20, Order::shuffled, {.batch_size = 3, .seed = 8});
  second.restore(first.state());
  EXPECT_EQ(rest_of(second), rest_of(first));
  first.start(6);
  second.start(6);
  EXPECT_EQ(rest_of(second), rest_of(first));  // with its seed
}

TEST(ArrayFeed, BetweenTwoEpochsTheDataMayChange) {
  const Device host("/cpu:0");
  ArrayFeed first = feed_of(20, Order::as_given, {.batch_size = 3}),
            other = feed_of(30, Order::as_given, {});
  first.start(0);
  Batch batch;
  first.next(batch);
  EXPECT_THROW(other.restore(first.state()), InvalidArgument);
  rest_of(first);
  other.restore(first.state());
  EXPECT_TRUE(other.exhausted());
}

}  // namespace
}  // namespace stoker::data
