#include "data/array_feeder.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "device/scope.h"
#include "stoker/device.h"

namespace stoker::data {
namespace {

Array column(int64_t samples) {
  Array x(DType::int64, {samples});
  std::iota(x.mutable_data<int64_t>().begin(), x.mutable_data<int64_t>().end(), int64_t{0});
  return x;
}

std::vector<int64_t> rows_of(const ArrayFeeder::Batch& batch, size_t input) {
  std::vector<int64_t> rows;
  for (int64_t step = 0; step < batch.count; ++step) {
    const auto* at = reinterpret_cast<const int64_t*>(
        static_cast<const std::byte*>(batch.inputs[input]) + step * batch.strides[input]);
    rows.insert(rows.end(), at, at + batch.rows);
  }
  return rows;
}

TEST(ArrayFeeder, HandsOutSeveralBatchesThatLieBehindEachOther) {
  const Device host("/cpu:0");
  ArrayFeeder feeder({column(10)}, device::current_device("test"), {.batch_size = 3});
  feeder.start_epoch(0);
  ArrayFeeder::Batch batch;
  ASSERT_TRUE(feeder.next(batch, 2));
  EXPECT_EQ(batch.count, 2);
  EXPECT_EQ(rows_of(batch, 0), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  ASSERT_TRUE(feeder.next(batch, 5));  // one full batch is left; the rest is another size
  EXPECT_EQ(batch.count, 1);
  EXPECT_EQ(rows_of(batch, 0), (std::vector<int64_t>{6, 7, 8}));
  ASSERT_TRUE(feeder.next(batch, 5));
  EXPECT_EQ(batch.rows, 1);
  EXPECT_EQ(rows_of(batch, 0), (std::vector<int64_t>{9}));
  EXPECT_FALSE(feeder.next(batch, 5));
}

// So many that several threads draw them.
TEST(ArrayFeeder, OrdersManySamplesEachOnce) {
  std::vector<int64_t> order(50000), again(50000), other(50000);
  permute(order, 3, 1);
  permute(again, 3, 1);
  permute(other, 3, 2);
  EXPECT_EQ(order, again);
  EXPECT_NE(order, other);
  EXPECT_EQ(std::set<int64_t>(order.begin(), order.end()).size(), order.size());
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), 49999);
}

TEST(ArrayFeeder, ShowsEverySampleOncePerEpochInAnotherOrder) {
  const Device host("/cpu:0");
  ArrayFeeder feeder({column(100)}, device::current_device("test"),
                     {.batch_size = 7, .shuffle = true, .seed = 3});
  std::vector<std::vector<int64_t>> epochs;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    feeder.start_epoch(epoch);
    feeder.prepare_epoch(epoch + 1);
    std::vector<int64_t> seen;
    ArrayFeeder::Batch batch;
    while (feeder.next(batch, 4)) {
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

}  // namespace
}  // namespace stoker::data
