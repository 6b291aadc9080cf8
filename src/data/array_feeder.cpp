#include "data/array_feeder.h"

#include <algorithm>
#include <numeric>

#include "core/philox.h"
#include "core/thread_pool.h"

namespace stoker::data {

// Fisher-Yates; what to swap with is drawn by all threads, the swaps follow one another. A 64-bit
// random number scaled to [0, i): no modulo, no bias worth the name below 2^32 samples.
void permute(std::vector<int64_t>& order, uint64_t seed, int64_t epoch) {
  std::iota(order.begin(), order.end(), int64_t{0});
  thread_local std::vector<uint64_t> kept;
  kept.resize(order.size() + 1);
  uint64_t* const others = kept.data();  // this thread's, whoever fills them
  const Philox random{seed};
  constexpr int64_t grain = 4096;
  parallel_for(static_cast<int64_t>(order.size()), grain, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<uint64_t>(begin) + 1; i <= static_cast<uint64_t>(end); ++i) {
      const auto words = random(i, static_cast<uint64_t>(epoch));
      others[i] = (words[0] * i + ((words[1] * i) >> 32)) >> 32;
    }
  });
  for (uint64_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[others[i]]);
}

ArrayFeeder::ArrayFeeder(std::vector<Array> columns, const device::Device& device,
                         const FeedOptions& options)
    : columns_(std::move(columns)), options_(options), device_(device), on_host_(device.is_host()) {
  samples_ = position_ = columns_.at(0).length();
  uint64_t bytes = 0;
  for (const Array& column : columns_) bytes += column.bytes();
  streams_ = must_stream(bytes, device_, options_.beside);
  if (options_.shuffle)
    for (Order& order : orders_) order.samples.resize(static_cast<size_t>(samples_));
  inputs_.resize(columns_.size() + (gathers() ? 1 : 0));
  strides_.resize(inputs_.size());
}

// The step needs memory, too.
bool must_stream(uint64_t bytes, const device::Device& device, int64_t beside) {
  if (device.is_host()) return false;
  return static_cast<int64_t>(bytes) > (device.free_memory().largest_piece - beside) / 2;
}

int64_t ArrayFeeder::bytes_to_upload() const {
  if (on_host_ || !bases_.empty()) return 0;
  const int64_t rows = streams_ ? std::min(options_.batch_size, samples_) : samples_;
  int64_t bytes = gathers() ? samples_ * order_bytes : 0;
  for (const Array& column : columns_) bytes += rows * static_cast<int64_t>(column.row_bytes());
  return bytes;
}

// At the first epoch, not before: by then it is known that the step fits beside the data.
void ArrayFeeder::place_columns() {
  const int64_t rows = std::min(options_.batch_size, samples_);
  for (Array& column : columns_) {
    if (!on_host_) {
      const uint64_t room =
          streams_ ? static_cast<uint64_t>(rows) * column.row_bytes() : column.bytes();
      resident_.emplace_back(device_, room, options_.what, device::MemoryKind::inputs);
      if (!streams_) resident_.back().upload(column.raw(), column.bytes());
    }
    bases_.push_back(on_host_ ? column.mutable_raw()
                              : static_cast<std::byte*>(resident_.back().data()));
  }
}

std::vector<TensorType> ArrayFeeder::input_types(int64_t rows) const {
  std::vector<TensorType> types;
  if (gathers()) types.push_back({DType::int64, Shape{rows}});
  for (const Array& column : columns_) {
    TensorType type = column.type();
    if (!gathers()) type.shape[0] = rows;
    types.push_back(type);
  }
  return types;
}

ArrayFeeder::Order& ArrayFeeder::order_of(int64_t epoch, bool early) {
  for (Order& order : orders_)
    if (order.epoch == epoch) return order;
  Order& order = *std::min_element(orders_.begin(), orders_.end(), [&](auto& a, auto& b) {
    return &a != order_ && (&b == order_ || a.epoch < b.epoch);
  });
  order.epoch = epoch;
  permute(order.samples, options_.seed, epoch);
  if (on_host_ || streams_) return order;
  if (!order.on_device.defined())
    order.on_device = device::Buffer(device_, order.samples.size() * sizeof(int64_t),
                                     "the shuffled order", device::MemoryKind::inputs);
  if (early)
    order.on_device.upload_idle(order.samples.data(), order.on_device.bytes());
  else
    order.on_device.upload(order.samples.data(), order.on_device.bytes());
  return order;
}

void ArrayFeeder::set_seed(uint64_t seed) {
  options_.seed = seed;
  for (Order& order : orders_) order.epoch = -1;
}

void ArrayFeeder::prepare_epoch(int64_t epoch) {
  if (options_.shuffle && !on_host_) order_of(epoch, true);
}

void ArrayFeeder::start_epoch(int64_t epoch) {
  if (bases_.empty()) place_columns();
  position_ = 0;
  if (options_.shuffle) order_ = &order_of(epoch, false);
}

bool ArrayFeeder::next(Batch& batch, int64_t most) {
  if (position_ >= samples_) return false;
  batch.first = position_;
  batch.rows = std::min(options_.batch_size, samples_ - position_);
  batch.count = std::clamp<int64_t>((samples_ - position_) / batch.rows, 1, streams_ ? 1 : most);
  if (streams_)
    send(batch);
  else if (options_.shuffle)
    point_into_order(batch);
  else
    point_into_columns(batch);
  batch.inputs = inputs_.data();
  batch.strides = strides_.data();
  position_ += batch.rows * batch.count;
  return true;
}

void ArrayFeeder::point_into_order(const Batch& batch) {
  strides_[0] = batch.rows * static_cast<int64_t>(sizeof(int64_t));
  inputs_[0] =
      (on_host_ ? order_->samples.data() : static_cast<int64_t*>(order_->on_device.data())) +
      batch.first;
  for (size_t c = 0; c < bases_.size(); ++c) inputs_[c + 1] = bases_[c];
}

void ArrayFeeder::point_into_columns(const Batch& batch) {
  for (size_t c = 0; c < bases_.size(); ++c) {
    strides_[c] = batch.rows * static_cast<int64_t>(columns_[c].row_bytes());
    inputs_[c] = bases_[c] + static_cast<size_t>(batch.first) * columns_[c].row_bytes();
  }
}

void ArrayFeeder::send(const Batch& batch) {
  for (size_t c = 0; c < bases_.size(); ++c) {
    const size_t row = columns_[c].row_bytes();
    gathered_.resize(static_cast<size_t>(batch.rows) * row);
    for (int64_t i = 0; i < batch.rows; ++i)
      std::copy_n(columns_[c].raw() + static_cast<size_t>(sample_at(batch.first + i)) * row, row,
                  gathered_.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(i) * row));
    resident_[c].upload(gathered_.data(), gathered_.size());
    inputs_[c] = bases_[c];
  }
}

}  // namespace stoker::data
