#include "data/array_feeder.h"

#include <algorithm>
#include <numeric>

#include "core/philox.h"

namespace stoker::data {

// Fisher-Yates. A 64-bit random number scaled to [0, i): no modulo, no bias worth the name below
// 2^32 samples.
void permute(std::vector<int64_t>& order, uint64_t seed, int64_t epoch) {
  std::iota(order.begin(), order.end(), int64_t{0});
  const Philox random{seed};
  for (uint64_t i = order.size(); i > 1; --i) {
    const auto words = random(i, static_cast<uint64_t>(epoch));
    const uint64_t other = (words[0] * i + ((words[1] * i) >> 32)) >> 32;
    std::swap(order[i - 1], order[other]);
  }
}

ArrayFeeder::ArrayFeeder(std::vector<Array> columns, const device::Device& device,
                         const FeedOptions& options)
    : columns_(std::move(columns)), options_(options), device_(device), on_host_(device.is_host()) {
  samples_ = position_ = columns_.at(0).length();
  for (Array& column : columns_) {
    if (!on_host_) {
      resident_.emplace_back(device, column.bytes(), "the training data",
                             device::MemoryKind::inputs);
      resident_.back().upload(column.raw(), column.bytes());
    }
    bases_.push_back(on_host_ ? column.mutable_raw()
                              : static_cast<std::byte*>(resident_.back().data()));
  }
  if (options_.shuffle) {
    permutation_.resize(static_cast<size_t>(samples_));
    if (!on_host_)
      device_permutation_ = device::Buffer(device, permutation_.size() * sizeof(int64_t),
                                           "the shuffled order", device::MemoryKind::inputs);
  }
  inputs_.resize(columns_.size() + (options_.shuffle ? 1 : 0));
  strides_.resize(inputs_.size());
}

std::vector<TensorType> ArrayFeeder::input_types(int64_t rows) const {
  std::vector<TensorType> types;
  if (options_.shuffle) types.push_back({DType::int64, Shape{rows}});
  for (const Array& column : columns_) {
    TensorType type = column.type();
    if (!options_.shuffle) type.shape[0] = rows;
    types.push_back(type);
  }
  return types;
}

void ArrayFeeder::start_epoch(int64_t epoch) {
  position_ = 0;
  if (!options_.shuffle) return;
  permute(permutation_, options_.seed, epoch);
  if (!on_host_) device_permutation_.upload(permutation_.data(), device_permutation_.bytes());
  for (size_t c = 0; c < bases_.size(); ++c) inputs_[c + 1] = bases_[c];
}

bool ArrayFeeder::next(Batch& batch, int64_t most) {
  if (position_ >= samples_) return false;
  batch.first = position_;
  batch.rows = std::min(options_.batch_size, samples_ - position_);
  batch.count = std::clamp<int64_t>((samples_ - position_) / batch.rows, 1, most);
  if (options_.shuffle) {
    strides_[0] = batch.rows * static_cast<int64_t>(sizeof(int64_t));
    inputs_[0] =
        (on_host_ ? permutation_.data() : static_cast<int64_t*>(device_permutation_.data())) +
        position_;
  } else {
    for (size_t c = 0; c < bases_.size(); ++c) {
      strides_[c] = batch.rows * static_cast<int64_t>(columns_[c].row_bytes());
      inputs_[c] = bases_[c] + static_cast<size_t>(position_) * columns_[c].row_bytes();
    }
  }
  batch.inputs = inputs_.data();
  batch.strides = strides_.data();
  position_ += batch.rows * batch.count;
  return true;
}

}  // namespace stoker::data
