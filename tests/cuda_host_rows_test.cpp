#include <cstring>

#include "data/feeds/array_feed.h"
#include "data/shuffle.h"
#include "device/scope.h"
#include "support/fresh_devices.h"

// Arrays that do not fit on a GPU: from the second epoch on it gathers their rows directly from
// host memory.
namespace stoker::data {
namespace {

constexpr int64_t samples = 500, batch_size = 7;

Array numbered(DType dtype, const Shape& row) {
  Array array(dtype, row.with_front(samples));
  std::byte* const bytes = array.mutable_raw();
  for (size_t i = 0; i < array.bytes(); ++i) bytes[i] = std::byte(i * 2654435761u >> 13);
  return array;
}

class CudaHostRows : public testing::FreshDevices {
 protected:
  void SetUp() override {
    for (const auto& physical : device::Registry::global().physical())
      if (std::string(physical.backend->table->name) == "cuda") return;
    GTEST_SKIP() << "no GPU of CUDA's";
  }
};

FeedPlan streamed(const ArraySource& source) {
  FeedPlan plan = source.whole();
  plan.gathers = false;
  plan.streams = plan.reads_host = true;
  plan.slot_bytes = 1 << 16;
  return plan;
}

std::vector<std::byte> on_host(const device::Device& device, const void* data, size_t bytes) {
  std::vector<std::byte> copied(bytes);
  device::check(
      device, device.table().copy(device.index, copied.data(), data, bytes, stoker_device_to_host),
      "copying");
  return copied;
}

void expect_epoch(ArrayFeed& feed, const std::vector<Array>& columns, int64_t epoch) {
  const device::Device device = device::current_device("test");
  std::vector<int64_t> order(samples);
  permute(order, 3, epoch);
  feed.start(epoch);
  Batch batch;
  int64_t at = 0;
  while (feed.next(batch, 4)) {
    device::wait(device, batch.after);
    for (int64_t step = 0; step < batch.count; ++step, at += batch.rows)
      for (size_t c = 0; c < columns.size(); ++c) {
        const size_t row = columns[c].row_bytes();
        const auto rows = on_host(
            device, static_cast<const std::byte*>(batch.inputs[c]) + step * batch.strides[c],
            static_cast<size_t>(batch.rows) * row);
        for (int64_t r = 0; r < batch.rows; ++r)
          ASSERT_EQ(std::memcmp(rows.data() + static_cast<size_t>(r) * row,
                                columns[c].raw() +
                                    static_cast<size_t>(order[static_cast<size_t>(at + r)]) * row,
                                row),
                    0)
              << "epoch " << epoch << ", column " << c << ", sample " << at + r;
      }
  }
  EXPECT_EQ(at, samples);
}

TEST_F(CudaHostRows, AreGatheredByTheGpuAsTheyAre) {
  const Device scope("cuda:0");
  const std::vector<Array> columns{
      numbered(DType::float32, {28, 28}), numbered(DType::uint8, {28, 28}),
      numbered(DType::uint8, {48}),       numbered(DType::float16, {}),
      numbered(DType::int64, {2}),        numbered(DType::uint8, {3}),
      numbered(DType::float32, {1028})};
  const ArraySource source(columns, true);
  ArrayFeed feed(source, streamed(source), device::current_device("test"),
                 {.batch_size = batch_size, .seed = 3});
  const int64_t held = get_memory_info("cuda:0").current;
  for (int64_t epoch = 0; epoch < 3; ++epoch) expect_epoch(feed, columns, epoch);
  EXPECT_EQ(get_memory_info("cuda:0").current - held, streamed(source).held_bytes(batch_size));
}

TEST_F(CudaHostRows, OfOneArrayServeTwoFeeds) {
  const Device scope("cuda:0");
  const std::vector<Array> columns{numbered(DType::float32, {100})};
  const ArraySource source(columns, true);
  const FeedOptions options{.batch_size = batch_size, .seed = 3};
  ArrayFeed first(source, streamed(source), device::current_device("test"), options);
  {
    ArrayFeed second(source, streamed(source), device::current_device("test"), options);
    for (int64_t epoch = 0; epoch < 2; ++epoch) {
      expect_epoch(first, columns, epoch);
      expect_epoch(second, columns, epoch);
    }
  }
  expect_epoch(first, columns, 2);
}

}  // namespace
}  // namespace stoker::data
