#pragma once
#include "data/feeds/feed_source.h"
#include "device/memory/buffer.h"
#include "nn/test_models.h"
#include "nn/training/inputs/fit_data.h"

namespace stoker::test {

// A feed over arrays that announces any plan, true or false.
class TestFeed : public data::Feed {
 public:
  TestFeed(const std::vector<Array>& columns, const data::FeedPlan& plan,
           const device::Device& device, int64_t batch_size)
      : columns_(columns), plan_(plan), batch_size_(batch_size), inputs_(columns.size()) {
    for (const Array& column : columns)
      on_device_.emplace_back(device, column.bytes()).upload(column.raw(), column.bytes());
  }
  const data::FeedPlan& plan() const override { return plan_; }
  int64_t batch_size() const override { return batch_size_; }
  int64_t bytes_to_upload() const override { return 0; }
  void prepare(int64_t epoch) override {
    if (on_prepare) on_prepare(epoch);
  }
  void start(int64_t epoch) override {
    at_ = 0;
    if (epoch == grows_at_start) ++plan_.samples;
  }
  bool next(data::Batch& batch, int64_t) override {
    if (exhausted()) return false;
    if (on_next) on_next(at_);
    const int64_t rows = std::min(batch_size_, samples() - at_);
    for (size_t c = 0; c < columns_.size(); ++c)
      inputs_[c] = static_cast<std::byte*>(on_device_[c].data()) +
                   static_cast<size_t>(at_) * columns_[c].row_bytes();
    types_ = inputs(rows);
    batch = {inputs_.data(), nullptr, &types_, 0, rows, at_, 1};
    at_ += rows;
    if (plan_.endless && at_ == samples()) at_ = 0;
    return true;
  }
  bool exhausted() override { return at_ >= samples(); }
  Config state() const override { return Config::map({{"at", at_}}); }
  void restore(const Config& state) override { at_ = state.find("at")->as_int(); }

  int64_t grows_at_start = -1;  // epoch in which it announces one more sample
  std::function<void(int64_t)> on_prepare, on_next;

 private:
  int64_t samples() const { return columns_.at(0).length(); }
  std::vector<Array> columns_;
  std::vector<device::Buffer> on_device_;
  data::FeedPlan plan_;
  int64_t batch_size_, at_ = samples();
  std::vector<void*> inputs_;
  std::vector<TensorType> types_;
};

// Its source. Plans know the length only if the test sets it.
struct TestSource : data::FeedSource {
  explicit TestSource(std::vector<Array> arrays) : columns(std::move(arrays)) {
    for (const Array& column : columns) says.columns.push_back(column.type());
  }
  data::FeedPlan plan(const device::Device&, int64_t) const override { return says; }
  std::unique_ptr<data::Feed> open(const data::FeedPlan& plan, const device::Device& device,
                                   const data::FeedOptions& options) const override {
    auto feed = std::make_unique<TestFeed>(columns, plan, device, options.batch_size);
    feed->grows_at_start = grows_at_start;
    feed->on_prepare = on_prepare;
    feed->on_next = on_next;
    return feed;
  }
  int64_t grows_at_start = -1;
  std::function<void(int64_t)> on_prepare, on_next;
  std::vector<Array> columns;
  data::FeedPlan says;
};

inline std::shared_ptr<TestSource> source_of(const Samples& data) {
  return std::make_shared<TestSource>(std::vector{data.x, data.y});
}
inline nn::RunData run_over(std::shared_ptr<const TestSource> source) {
  return {std::move(source), {.x = 1, .y = 1, .weighted = {false}}};
}

}  // namespace stoker::test
