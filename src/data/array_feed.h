#pragma once
#include <array>
#include <optional>

#include "data/array_source.h"
#include "data/stream_slots.h"

namespace stoker::data {

// Arrays that stay where they are: a batch is a pointer into them, or, shuffled, a pointer into a
// permutation by which the step itself gathers rows. Either way handing out a batch moves no data.
// Only arrays that do not fit on the device come batch by batch, while the device works on the
// batch before: gathered on the host and sent, or gathered by the device out of page-locked memory.
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
  };
  void place_columns();
  // early: the order is asked for before its epoch begins, while the device still reads the current
  // order and perhaps the previous one.
  Order& order_of(int64_t epoch, bool early);
  void point_into_order(const Batch& batch);
  void point_into_columns(const Batch& batch);
  void pin_columns();
  StokerTicket send(const Batch& batch);
  StokerTicket gather_there(const Batch& batch);  // by the device itself
  void gather(size_t column, const Batch& batch) const;
  int64_t sample_at(int64_t position) const {
    return shuffle_ ? order_->samples[static_cast<size_t>(position)] : position;
  }

  std::vector<Array> columns_;
  bool shuffle_;
  FeedOptions options_;
  device::Device device_;
  FeedPlan plan_;
  bool on_host_;
  int64_t epoch_ = -1, position_ = 0;  // the next sample's; before the first epoch at the end
  int64_t at_once_;                    // batches that are sent together
  int64_t full_rows_;                  // of all batches but perhaps the last
  bool placed_ = false;
  std::vector<device::Buffer> resident_;  // copies on the device, where it has memory of its own
  // What the device reads on the host by itself, from the second epoch on; empty: it cannot. Waited
  // for by the slots, which are gone first.
  std::optional<std::vector<device::HostRows>> pinned_;
  std::optional<StreamSlots> slots_;  // instead, if there is too much for that
  std::vector<std::byte*> bases_;
  std::array<Order, 3> orders_;  // of the previous epoch, this one and the next
  Order* order_ = &orders_[0];
  std::vector<uint64_t> sent_bytes_;                 // by column
  std::vector<TensorType> full_types_, last_types_;  // of a batch's inputs
  std::vector<void*> inputs_;
  std::vector<int64_t> strides_;  // bytes from one batch to the next
};

}  // namespace stoker::data
