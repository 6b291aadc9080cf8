#include "data/feeds/array_feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/shuffle.h"
#include "device/memory/upload.h"

namespace stoker::data {

ArrayFeed::ArrayFeed(const ArraySource& source, const FeedPlan& plan, const device::Device& device,
                     const FeedOptions& options)
    : columns_(source.columns),
      shuffle_(source.shuffle),
      options_(options),
      device_(device),
      plan_(plan),
      on_host_(device.is_host()),
      position_(plan_.samples),
      full_rows_(rows()) {
  if (shuffle_ && !plan_.streams)
    for (Order& order : orders_) order.samples.resize(static_cast<size_t>(plan_.samples));
  full_types_ = inputs(rows());
  last_types_ = inputs(plan_.last_rows(options_.batch_size));
  inputs_.resize(full_types_.size());
  strides_.resize(inputs_.size());
}

int64_t ArrayFeed::bytes_to_upload() const {
  return on_host_ || placed_ ? 0 : plan_.held_bytes(options_.batch_size);
}

// At the first epoch: by then all steps have allocated their memory.
void ArrayFeed::place_columns() {
  placed_ = true;
  if (plan_.streams) {
    stream_.emplace(ArraySource(columns_, shuffle_), plan_, device_, options_);
    return;
  }
  if (!on_host_)
    resident_ =
        device::upload_together(device_, columns_, options_.what, device::MemoryKind::inputs);
  for (size_t c = 0; c < columns_.size(); ++c)
    bases_.push_back(on_host_ ? columns_[c].mutable_raw()
                              : static_cast<std::byte*>(resident_[c].data()));
}

ArrayFeed::Order& ArrayFeed::order_of(int64_t epoch, bool early) {
  for (Order& order : orders_)
    if (order.epoch == epoch) return order;
  Order& order = *std::min_element(orders_.begin(), orders_.end(), [&](auto& a, auto& b) {
    return &a != order_ && (&b == order_ || a.epoch < b.epoch);
  });
  order.epoch = epoch;
  permute(order.samples, options_.seed, epoch);
  if (on_host_) return order;
  if (!order.on_device.defined())
    order.on_device = device::Buffer(device_, order.samples.size() * sizeof(int64_t),
                                     "the shuffled order", device::MemoryKind::inputs);
  if (!early) {
    order.on_device.upload(order.samples.data(), order.on_device.bytes());
    return order;
  }
  device::wait(device_, order.read);  // short epochs: the host may be several epochs ahead
  order.on_device.upload_idle(order.samples.data(), order.on_device.bytes());
  return order;
}

void ArrayFeed::prepare(int64_t epoch) {
  if (stream_)
    stream_->follow({.seed = options_.seed, .epoch = epoch});
  else if (shuffle_ && !on_host_)
    order_of(epoch, true);
}

void ArrayFeed::start(int64_t epoch) { start_at(epoch, 0); }

void ArrayFeed::start_at(int64_t epoch, int64_t sample) {
  if (!placed_) place_columns();
  epoch_ = epoch;
  position_ = sample;
  if (stream_) stream_->start({.seed = options_.seed, .epoch = epoch, .sample = sample});
  if (stream_ || !shuffle_) return;
  if (!on_host_) order_->read = device::mark(device_);  // all steps of the last epoch are submitted
  order_ = &order_of(epoch, false);
}

Config ArrayFeed::state() const {
  return Config::map({{"seed", static_cast<int64_t>(options_.seed)},
                      {"epoch", epoch_},
                      {"sample", position_},
                      {"samples", plan_.samples},
                      {"batch_size", options_.batch_size}});
}

void ArrayFeed::restore(const Config& state) {
  const auto number = [&](const char* key) {
    if (const Config* found = state.find(key)) return found->as_int();
    throw InvalidArgument(fmt::format("the checkpoint's place in the data has no \"{}\".", key));
  };
  options_.seed = static_cast<uint64_t>(number("seed"));
  for (Order& order : orders_) order.epoch = -1;
  const int64_t samples = number("samples"), batch = number("batch_size"), at = number("sample");
  if (at >= samples) return;
  if (samples != plan_.samples || batch != options_.batch_size)
    throw InvalidArgument(
        fmt::format("the checkpoint was saved inside epoch {} with batch_size {} on {} "
                    "samples, but this training has batch_size {} on {}.",
                    number("epoch") + 1, batch, samples, options_.batch_size, plan_.samples),
        "use the same data and batch_size, or remove the checkpoint to train from the start.");
  start_at(number("epoch"), std::max<int64_t>(at, 0));
}

bool ArrayFeed::next(Batch& batch, int64_t most) {
  const int64_t left = plan_.samples - position_;
  if (left <= 0) return false;
  batch.inputs = inputs_.data();
  batch.strides = strides_.data();
  batch.after = 0;
  if (stream_)
    stream_->next(batch, most);
  else
    point(batch, most);
  batch.types = batch.rows == full_rows_ ? &full_types_ : &last_types_;
  position_ += batch.rows * batch.count;
  return true;
}

void ArrayFeed::point(Batch& batch, int64_t most) {
  const int64_t left = plan_.samples - position_;
  batch.first = position_;
  batch.rows = std::min(options_.batch_size, left);
  batch.count = std::clamp<int64_t>(left / batch.rows, 1, most);
  if (shuffle_)
    point_into_order(batch);
  else
    point_into_columns(batch);
}

void ArrayFeed::point_into_order(const Batch& batch) {
  strides_[0] = batch.rows * static_cast<int64_t>(sizeof(int64_t));
  inputs_[0] =
      (on_host_ ? order_->samples.data() : static_cast<int64_t*>(order_->on_device.data())) +
      batch.first + plan_.slice(batch.rows).first;
  for (size_t c = 0; c < bases_.size(); ++c) inputs_[c + 1] = bases_[c];
}

// The address of a single batch is constant: the device need not copy it to an input slot.
void ArrayFeed::point_into_columns(const Batch& batch) {
  const auto first = static_cast<size_t>(batch.first + plan_.slice(batch.rows).first);
  for (size_t c = 0; c < bases_.size(); ++c) {
    const auto bytes = batch.rows * static_cast<int64_t>(columns_[c].row_bytes());
    strides_[c] = batch.rows < plan_.samples ? bytes : 0;
    inputs_[c] = bases_[c] + first * columns_[c].row_bytes();
  }
}

}  // namespace stoker::data
