#include "data/array_feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/stream_copy.h"
#include "core/thread_pool.h"
#include "data/shuffle.h"
#include "data/tuning/byte_account.h"

namespace stoker::data {
namespace {

constexpr size_t gather_grain = size_t{64} << 10;  // bytes that are worth a thread

}  // namespace

ArrayFeed::ArrayFeed(const ArraySource& source, const FeedPlan& plan, const device::Device& device,
                     const FeedOptions& options)
    : columns_(source.columns),
      shuffle_(source.shuffle),
      options_(options),
      device_(device),
      plan_(plan),
      on_host_(device.is_host()),
      position_(plan_.samples),
      at_once_(plan_.batches_at_once(options_.batch_size)),
      full_rows_(rows()) {
  if (shuffle_)
    for (Order& order : orders_) order.samples.resize(static_cast<size_t>(plan_.samples));
  full_types_ = inputs(rows());
  last_types_ = inputs(plan_.last_rows(options_.batch_size));
  inputs_.resize(full_types_.size());
  strides_.resize(inputs_.size());
}

int64_t ArrayFeed::bytes_to_upload() const {
  return on_host_ || placed_ ? 0 : plan_.held_bytes(options_.batch_size);
}

// At the first epoch, not before: by then it is known that the step fits beside the data.
void ArrayFeed::place_columns() {
  placed_ = true;
  if (plan_.streams) {
    sent_bytes_.clear();
    for (const Array& column : columns_)
      sent_bytes_.push_back(static_cast<uint64_t>(rows() * at_once_) * column.row_bytes());
    const StreamSlots::Size size{.columns = sent_bytes_,
                                 .gathered = plan_.reads_host ? rows() * at_once_ : 0,
                                 .slots = plan_.slots};
    slots_.emplace(device_, size, options_.what, options_.ledger);
    return;
  }
  for (Array& column : columns_) {
    if (!on_host_) {
      resident_.emplace_back(device_, column.bytes(), options_.what, device::MemoryKind::inputs);
      resident_.back().upload(column.raw(), column.bytes());
    }
    bases_.push_back(on_host_ ? column.mutable_raw()
                              : static_cast<std::byte*>(resident_.back().data()));
  }
}

ArrayFeed::Order& ArrayFeed::order_of(int64_t epoch, bool early) {
  for (Order& order : orders_)
    if (order.epoch == epoch) return order;
  Order& order = *std::min_element(orders_.begin(), orders_.end(), [&](auto& a, auto& b) {
    return &a != order_ && (&b == order_ || a.epoch < b.epoch);
  });
  order.epoch = epoch;
  permute(order.samples, options_.seed, epoch);
  if (on_host_ || plan_.streams) return order;
  if (!order.on_device.defined())
    order.on_device = device::Buffer(device_, order.samples.size() * sizeof(int64_t),
                                     "the shuffled order", device::MemoryKind::inputs);
  if (early)
    order.on_device.upload_idle(order.samples.data(), order.on_device.bytes());
  else
    order.on_device.upload(order.samples.data(), order.on_device.bytes());
  return order;
}

void ArrayFeed::prepare(int64_t epoch) {
  if (shuffle_ && !on_host_) order_of(epoch, true);
}

// At the second epoch: page-locking takes about as long as gathering everything once or a few
// times.
void ArrayFeed::pin_columns() {
  pinned_.emplace();
  int64_t bytes = 0;
  for (const Array& column : columns_) bytes += static_cast<int64_t>(column.bytes());
  if (bytes > ByteAccount::global().limit() / 2) return;  // the system needs memory it can move
  for (const Array& column : columns_)
    if (auto rows = device::HostRows::pin(device_, column)) {
      pinned_->push_back(std::move(*rows));
    } else {
      pinned_->clear();
      return;
    }
}

void ArrayFeed::start(int64_t epoch) {
  if (!placed_)
    place_columns();
  else if (plan_.reads_host && !pinned_)
    pin_columns();
  epoch_ = epoch;
  position_ = 0;
  if (shuffle_) order_ = &order_of(epoch, false);
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
        fmt::format("the checkpoint is of a training inside epoch {} with batch_size {} on {} "
                    "samples, but this is one with batch_size {} on {}.",
                    number("epoch") + 1, batch, samples, options_.batch_size, plan_.samples),
        "use the same data and batch_size, or remove the checkpoint to train from the start.");
  start(number("epoch"));
  position_ = std::max<int64_t>(at, 0);
}

bool ArrayFeed::next(Batch& batch, int64_t most) {
  const int64_t left = plan_.samples - position_;
  if (left <= 0) return false;
  batch.first = position_;
  batch.rows = std::min(options_.batch_size, left);
  batch.count =
      std::clamp<int64_t>(left / batch.rows, 1, plan_.streams ? std::min(most, at_once_) : most);
  batch.after = 0;
  if (plan_.streams)
    batch.after = send(batch);
  else if (shuffle_)
    point_into_order(batch);
  else
    point_into_columns(batch);
  batch.types = batch.rows == full_rows_ ? &full_types_ : &last_types_;
  batch.inputs = inputs_.data();
  batch.strides = strides_.data();
  position_ += batch.rows * batch.count;
  return true;
}

void ArrayFeed::point_into_order(const Batch& batch) {
  strides_[0] = batch.rows * static_cast<int64_t>(sizeof(int64_t));
  inputs_[0] =
      (on_host_ ? order_->samples.data() : static_cast<int64_t*>(order_->on_device.data())) +
      batch.first + plan_.slice(batch.rows).first;
  for (size_t c = 0; c < bases_.size(); ++c) inputs_[c + 1] = bases_[c];
}

// A single batch lies still: a device need not copy it to where a step finds moving ones.
void ArrayFeed::point_into_columns(const Batch& batch) {
  const auto first = static_cast<size_t>(batch.first + plan_.slice(batch.rows).first);
  for (size_t c = 0; c < bases_.size(); ++c) {
    const auto bytes = batch.rows * static_cast<int64_t>(columns_[c].row_bytes());
    strides_[c] = batch.rows < plan_.samples ? bytes : 0;
    inputs_[c] = bases_[c] + first * columns_[c].row_bytes();
  }
}

StokerTicket ArrayFeed::send(const Batch& batch) {
  slots_->begin();
  if (pinned_ && !pinned_->empty()) return gather_there(batch);
  for (size_t c = 0; c < columns_.size(); ++c) {
    gather(c, batch);
    const uint64_t bytes =
        static_cast<uint64_t>(plan_.slice(batch.rows).here) * columns_[c].row_bytes();
    sent_bytes_[c] = static_cast<uint64_t>(batch.count) * bytes;
    strides_[c] = at_once_ > 1 ? static_cast<int64_t>(bytes) : 0;
  }
  return slots_->send(sent_bytes_, inputs_);
}

StokerTicket ArrayFeed::gather_there(const Batch& batch) {
  for (size_t c = 0; c < columns_.size(); ++c)
    strides_[c] = at_once_ > 1 ? batch.rows * static_cast<int64_t>(columns_[c].row_bytes()) : 0;
  const std::span<const int64_t> order = order_->samples;
  return slots_->gather(*pinned_,
                        order.subspan(static_cast<size_t>(batch.first),
                                      static_cast<size_t>(batch.rows * batch.count)),
                        inputs_);
}

void ArrayFeed::gather(size_t column, const Batch& batch) const {
  const size_t row = columns_[column].row_bytes();
  const std::byte* const from = columns_[column].raw();
  std::byte* const to = slots_->column(column);
  const auto grain =
      static_cast<int64_t>(std::max<size_t>(1, gather_grain / std::max<size_t>(row, 1)));
  const distribution::Slice slice = plan_.slice(batch.rows);
  const auto place = [&](int64_t i) {  // in the epoch
    return batch.first + i / slice.here * batch.rows + slice.first + i % slice.here;
  };
  parallel_for(slice.here * batch.count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      stream_copy(to + static_cast<size_t>(i) * row,
                  from + static_cast<size_t>(sample_at(place(i))) * row, row);
  });
}

}  // namespace stoker::data
