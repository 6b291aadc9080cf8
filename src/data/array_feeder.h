#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "device/buffer.h"
#include "stoker/array.h"

namespace stoker::data {

struct FeedOptions {
  int64_t batch_size = 32;
  bool shuffle = false;
  uint64_t seed = 0;
  int64_t beside = 0;             // bytes of the device that other data will take
  const char* what = "the data";  // for messages
};

// Arrays that stay where they are: a batch is a pointer into them, or, shuffled, a pointer into a
// permutation by which the step itself gathers rows. Either way handing out a batch moves no data.
// Only arrays that do not fit on the device are gathered on the host and sent batch by batch.
class ArrayFeeder {
 public:
  ArrayFeeder(std::vector<Array> columns, const device::Device& device, const FeedOptions& options);

  int64_t samples() const { return samples_; }
  int64_t batches() const { return (samples_ - 1) / options_.batch_size + 1; }
  bool gathers() const { return options_.shuffle && !streams_; }  // the step does
  bool streams() const { return streams_; }

  // Types of the step's inputs for a batch of `rows`: [indices, whole columns …] or [batch columns
  // …].
  std::vector<TensorType> input_types(int64_t rows) const;

  int64_t bytes_to_upload() const;  // what the epochs will take of the device and have not yet
  void start_epoch(int64_t epoch);  // the permutation is a function of (seed, epoch)
  void set_seed(uint64_t seed);     // of the epochs to come
  int64_t position() const { return position_; }  // the next sample's
  void skip_to(int64_t position) { position_ = position; }
  // Makes that epoch's permutation now, while the device is still busy with this one's.
  void prepare_epoch(int64_t epoch);
  // One batch or several of the same size, each `strides` bytes behind the one before it.
  struct Batch {
    void* const* inputs = nullptr;
    const int64_t* strides = nullptr;
    int64_t rows = 0, first = 0, count = 1;
    StokerRun run() const { return {inputs, strides, count}; }
  };
  // At most so many at once; false at the end of the data and before the first epoch.
  bool next(Batch& batch, int64_t most = 1);
  bool exhausted() const { return position_ >= samples_; }  // also before the first epoch
  int64_t sample_at(int64_t position) const {
    return options_.shuffle ? order_->samples[static_cast<size_t>(position)] : position;
  }

 private:
  struct Order {
    int64_t epoch = -1;
    std::vector<int64_t> samples;
    device::Buffer on_device;
  };
  void place_columns();
  // Early: the device is still at work, on the current order and perhaps on the one before it.
  Order& order_of(int64_t epoch, bool early);
  void point_into_order(const Batch& batch);
  void point_into_columns(const Batch& batch);
  void send(const Batch& batch);

  std::vector<Array> columns_;
  FeedOptions options_;
  device::Device device_;
  bool on_host_, streams_ = false;
  int64_t samples_ = 0, position_ = 0;
  std::vector<device::Buffer> resident_;  // copies on the device, where it has memory of its own;
                                          // streaming: room for one batch
  std::vector<std::byte*> bases_;
  std::array<Order, 3> orders_;  // the last epoch's, this one's and the next one's
  Order* order_ = &orders_[0];
  std::vector<std::byte> gathered_;
  std::vector<void*> inputs_;
  std::vector<int64_t> strides_;  // bytes from one batch to the next
};

// Is that too much to lie on the device, beside so many other bytes?
bool must_stream(uint64_t bytes, const device::Device& device, int64_t beside = 0);
// What shuffling takes of the device, a sample: this epoch's order and the next one's.
inline constexpr int64_t order_bytes = 3 * sizeof(int64_t);

// A random order of 0 … n-1, the same for the same (seed, epoch) on every machine.
void permute(std::vector<int64_t>& order, uint64_t seed, int64_t epoch);

}  // namespace stoker::data
