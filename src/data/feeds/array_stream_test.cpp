#include "data/feeds/array_stream.h"

#include <gtest/gtest.h>

#include <numeric>

#include "data/feeds/array_feed.h"
#include "device/scope.h"
#include "stoker/device.h"

// Streamed batches equal those gathered by the steps.
namespace stoker::data {
namespace {

constexpr int64_t samples = 103, batch_size = 5;

class Streamed : public ::testing::TestWithParam<bool> {
 protected:
  Streamed() : source({column()}, GetParam()), plan(source.plan(device)) {
    plan.gathers = false;
    plan.streams = true;
    plan.slot_bytes = 4 * batch_size * static_cast<int64_t>(sizeof(int64_t));
  }
  static Array column() {
    Array x(DType::int64, {samples});
    std::iota(x.mutable_data<int64_t>().begin(), x.mutable_data<int64_t>().end(), int64_t{0});
    return x;
  }
  std::unique_ptr<ArrayFeed> feed(uint64_t seed = 3) const {
    return std::make_unique<ArrayFeed>(source, plan, device,
                                       FeedOptions{.batch_size = batch_size, .seed = seed});
  }
  // The contents of one or several batches, if they are as expected.
  std::vector<int64_t> rows_of(const Batch& batch) const {
    device::wait(device, batch.after);
    std::vector<int64_t> rows;
    const int64_t here = plan.slice(batch.rows).here;
    for (int64_t step = 0; step < batch.count; ++step) {
      const auto* at = reinterpret_cast<const int64_t*>(
          static_cast<const std::byte*>(batch.inputs[0]) + step * batch.strides[0]);
      rows.insert(rows.end(), at, at + here);
    }
    return rows;
  }
  // The rest of an epoch, requesting 1, 2, … 7, 1 … batches at a time.
  std::vector<int64_t> rest_of(ArrayFeed& from) const {
    std::vector<int64_t> rows;
    Batch batch;
    for (int64_t most = 1; from.next(batch, most); most = most % 7 + 1) {
      EXPECT_LE(batch.count, most);
      const auto more = rows_of(batch);
      rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
  }
  // The same by indices into the array.
  std::vector<int64_t> expected(int64_t epoch, uint64_t seed = 3) const {
    ArrayFeed whole(source, source.plan(device), device, {.batch_size = batch_size, .seed = seed});
    whole.start(epoch);
    std::vector<int64_t> rows;
    for (Batch batch; whole.next(batch, 1);) {
      const auto* at = static_cast<const int64_t*>(batch.inputs[0]);
      rows.insert(rows.end(), at, at + batch.rows);
    }
    return rows;
  }

  const Device host{"/cpu:0"};
  const device::Device device = device::current_device("test");
  const ArraySource source;
  FeedPlan plan;
};

TEST_P(Streamed, GivesEveryEpochsBatchesInTheirOrder) {
  const auto stream = feed();
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    stream->start(epoch);
    EXPECT_EQ(rest_of(*stream), expected(epoch)) << epoch;
    EXPECT_TRUE(stream->exhausted());
    if (epoch % 2 == 0) stream->prepare(epoch + 1);
  }
}

TEST_P(Streamed, BeginsAnewWhereAnEpochIsLeftOrAnotherFollows) {
  const auto stream = feed();
  Batch batch;
  for (const int64_t epoch : {0, 0, 7, 2}) {  // each is abandoned in the middle
    stream->start(epoch);
    ASSERT_TRUE(stream->next(batch, 1));
    const std::vector<int64_t> all = expected(epoch);
    EXPECT_EQ(rows_of(batch), std::vector(all.begin(), all.begin() + batch_size)) << epoch;
    ASSERT_TRUE(stream->next(batch, 3));
    stream->prepare(epoch + 1);
  }
  stream->start(4);
  EXPECT_EQ(rest_of(*stream), expected(4));
  stream->prepare(5);
  stream->start(6);
  EXPECT_EQ(rest_of(*stream), expected(6));
}

TEST_P(Streamed, GoesOnWhereAnotherStood) {
  const auto first = feed(), second = feed(8);
  first->start(5);
  Batch batch;
  first->next(batch, 3);
  second->restore(first->state());
  EXPECT_EQ(rest_of(*second), rest_of(*first));
  second->start(6);
  EXPECT_EQ(rest_of(*second), expected(6));  // with the seed of the other one
}

TEST_P(Streamed, DividesEveryBatchAmongRanks) {
  const std::vector<int64_t> all = expected(1);
  for (int64_t rank = 0; rank < 2; ++rank) {
    plan.division = {rank, 2};
    std::vector<int64_t> wanted;
    for (int64_t first = 0; first < samples; first += batch_size) {
      const int64_t rows = std::min(batch_size, samples - first);
      const distribution::Slice slice = plan.slice(rows);
      const auto from = all.begin() + first + slice.first;
      wanted.insert(wanted.end(), from, from + slice.here);
    }
    const auto stream = feed();
    stream->start(1);
    EXPECT_EQ(rest_of(*stream), wanted) << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Shuffled, Streamed, ::testing::Bool());

}  // namespace
}  // namespace stoker::data
