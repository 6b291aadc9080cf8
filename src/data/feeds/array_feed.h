#pragma once
#include <array>
#include <optional>

#include "data/feeds/array_stream.h"

namespace stoker::data {

// Arrays that stay where they are: a batch is a pointer into them, or, shuffled, a pointer into a
// permutation by which the step itself gathers rows. Either way handing out a batch moves no data.
// Only arrays that do not fit on the device come batch by batch, through an ArrayStream.
class ArrayFeed : public Feed {
 public:
  ArrayFeed(const ArraySource& source, const FeedPlan& plan, const device::Device& device,
            const FeedOptions& options);

  const FeedPlan& plan() const override { return plan_; }
  int64_t batch_size() const override { return options_.batch_size; }
  int64_t bytes_to_upload() const override;
  void start(int64_t epoch) override;
  void prepare(int64_t epoch) override;
  bool next(Batch& batch, int64_t most = 1) override;
  bool exhausted() override { return position_ >= plan_.samples; }
  Config state() const override;
  void restore(const Config& state) override;

 private:
  struct Order {
    int64_t epoch = -1;
    std::vector<int64_t> samples;
    device::Buffer on_device;
    StokerTicket read = 0;  // when it is done, the device no longer reads the order of this epoch
  };
  void place_columns();
  // early: before its epoch begins, while the device may still read the current order and the
  // previous one.
  Order& order_of(int64_t epoch, bool early);
  void start_at(int64_t epoch, int64_t sample);
  void point(Batch& batch, int64_t most);
  void point_into_order(const Batch& batch);
  void point_into_columns(const Batch& batch);

  std::vector<Array> columns_;
  bool shuffle_;
  FeedOptions options_;
  device::Device device_;
  FeedPlan plan_;
  bool on_host_;
  int64_t epoch_ = -1, position_ = 0;  // of the next sample; before the first epoch: its end
  int64_t full_rows_;                  // of all batches except perhaps the last
  bool placed_ = false;
  std::vector<device::Buffer> resident_;  // copies on the device, where it has memory of its own
  std::optional<ArrayStream> stream_;     // for arrays that are too large for that
  std::vector<std::byte*> bases_;
  std::array<Order, 3> orders_;  // of the previous epoch, this one and the next
  Order* order_ = &orders_[0];
  std::vector<TensorType> full_types_, last_types_;  // of a batch's inputs
  std::vector<void*> inputs_;
  std::vector<int64_t> strides_;  // bytes between consecutive batches
};

}  // namespace stoker::data
