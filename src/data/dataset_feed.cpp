#include "data/dataset_feed.h"

#include <fmt/format.h>

#include "core/stream_copy.h"
#include "core/thread_pool.h"
#include "stoker/interrupt.h"

namespace stoker::data {
namespace {

// One batch's, for as many rows as a full batch has.
TensorType column_of(const TensorSpec& spec, size_t array, const Stage& stage) {
  Shape shape = spec.shape;
  if (shape.rank() > 0) shape[0] = 1;
  if (shape.rank() == 0 || !shape.is_known())
    throw InvalidArgument(
        fmt::format(
            "array {} of the elements of {} is {}, which is no batch of samples of one shape.",
            array, stage.where(), to_string(spec)),
        "give padded_batch the padded_shapes that all batches have, or end the dataset with "
        "batch.");
  return {spec.text ? DType::int64 : spec.dtype, std::move(shape)};
}

int64_t rows_of(const Dataset& dataset, const ElementSpec& spec) {
  if (const int64_t rows = dataset.stage()->batch_rows()) return rows;
  const int64_t rows = spec.arrays.at(0).shape.rank() > 0 ? spec.arrays[0].shape[0] : unknown;
  if (rows == unknown)
    throw InvalidArgument(
        fmt::format("how many rows the batches of {} have is not known.", dataset.stage()->where()),
        "end the dataset with batch, or with rebatch.");
  return rows;
}

}  // namespace

DatasetSource::DatasetSource(Dataset batches, std::vector<size_t> places, const ElementSpec& spec)
    : dataset(std::move(batches)), order(std::move(places)), rows(rows_of(dataset, spec)) {
  for (const size_t array : order)
    columns.push_back(column_of(spec.arrays.at(array), array, *dataset.stage()));
}

FeedPlan DatasetSource::plan(const device::Device& device, int64_t) const {
  const int64_t batches = dataset.cardinality();
  return {.columns = columns,
          .known_batches = is_finite(batches) ? batches : 0,
          .endless = batches == INFINITE_CARDINALITY,
          .own_batch_size = rows,
          .streams = !device.is_host()};
}

std::unique_ptr<Feed> DatasetSource::open(const FeedPlan& plan, const device::Device& device,
                                          const FeedOptions& options) const {
  return std::make_unique<DatasetFeed>(*this, plan, device, options);
}

DatasetFeed::DatasetFeed(const DatasetSource& source, const FeedPlan& plan,
                         const device::Device& device, const FeedOptions& options)
    : source_(source),
      plan_(plan),
      device_(device),
      options_(options),
      consumer_(source.dataset.stage(), {"added by fit", &ahead_meter_}) {
  inputs_.resize(source_.columns.size());
  strides_.resize(inputs_.size());
  ahead_meter_.setting.tune("batches ahead", Prefetched::first_ahead, Prefetched::most_ahead);
  note_fit();
}

void DatasetFeed::note_fit() const {
  if (!options_.trains) return;
  const Stage& told = source_.given ? *source_.given : *source_.dataset.stage();
  told.note_fit({.seed = options_.seed,
                 .steps_per_epoch = options_.steps_per_epoch,
                 .maps_behind = source_.given ? 1 : 0});
}

int64_t DatasetFeed::bytes_to_upload() const {
  return plan_.streams && !slots_ ? plan_.held_bytes(source_.rows) : 0;
}

std::unique_ptr<Prefetched> DatasetFeed::opened(int64_t epoch) {
  auto cursor =
      source_.dataset.stage()->open({.seed = options_.seed, .pass = epoch, .memory = memory_});
  return std::make_unique<Prefetched>(std::move(cursor), ahead_meter_, true);
}

void DatasetFeed::start(int64_t epoch) {
  cursor_ = following_epoch_ == epoch ? std::move(following_) : nullptr;
  following_.reset();
  following_epoch_ = -1;
  if (!cursor_) cursor_ = opened(epoch);
  ahead_.reset();
  ended_ = false;
  epoch_ = epoch;
  delivered_ = first_ = 0;
}

void DatasetFeed::prepare(int64_t epoch) {
  following_ = opened(epoch);
  following_->begin();
  following_epoch_ = epoch;
}

bool DatasetFeed::look_ahead() {
  if (ahead_) return true;
  Element element;
  if (!cursor_ || ended_) return false;
  ended_ = !consumer_.next(*cursor_, element);
  if (ended_) return false;
  ahead_ = std::move(element);
  return true;
}

// An interrupt ends the wait for the next batch: whether there is one stays unknown.
bool DatasetFeed::exhausted() try { return !look_ahead(); } catch (const Interrupted&) {
  return false;
}

bool DatasetFeed::next(Batch& batch, int64_t) {
  if (!look_ahead()) return false;
  check(*ahead_);
  given_ = std::move(*ahead_);
  ahead_.reset();
  batch = {.first = first_, .count = 1};
  batch.rows = given_.arrays()[source_.order[0]].length();
  types_ = inputs(batch.rows);
  if (plan_.streams)
    batch.after = send();
  else
    for (size_t c = 0; c < inputs_.size(); ++c) inputs_[c] = rows_here(c).data();
  batch.inputs = inputs_.data();
  batch.strides = strides_.data();
  batch.types = &types_;
  ++delivered_;
  first_ += batch.rows;
  return true;
}

// What the program's functions return is not trusted: the step reads as many bytes as were planned.
void DatasetFeed::check(const Element& element) const {
  const auto& arrays = element.arrays();
  const int64_t rows = arrays.empty() || arrays[0].shape().rank() == 0 ? 0 : arrays[0].length();
  bool right = rows > 0 && rows <= source_.rows;
  for (size_t c = 0; right && c < source_.order.size(); ++c) {
    TensorType wanted = source_.columns[c];
    wanted.shape[0] = rows;
    right = source_.order[c] < arrays.size() && arrays[source_.order[c]].type() == wanted;
  }
  if (right) return;
  InvalidArgument error(
      fmt::format("the batch is {}, but the first one was of up to {} rows of {}.",
                  to_string(spec_of(element)), source_.rows, to_string(source_.columns[0])),
      "all batches need the same shapes and types; only the rows may be fewer.");
  error.add_where(place_of(*source_.dataset.stage(), delivered_));
  throw error;
}

static void copy_on_all_cores(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr int64_t grain = int64_t{256} << 10;
  parallel_for(static_cast<int64_t>(bytes), grain, [&](int64_t begin, int64_t end) {
    stream_copy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
}

// Of a column of the batch that was given.
std::span<std::byte> DatasetFeed::rows_here(size_t column) const {
  Array array = given_.arrays()[source_.order[column]];
  const distribution::Slice slice = plan_.slice(array.length());
  const size_t row = array.row_bytes();
  return {array.mutable_raw() + static_cast<size_t>(slice.first) * row,
          static_cast<size_t>(slice.here) * row};
}

StokerTicket DatasetFeed::send() {
  if (!slots_) {
    std::vector<uint64_t> most;
    for (const TensorType& type : inputs(source_.rows))
      most.push_back(static_cast<uint64_t>(type.bytes()));
    slots_.emplace(device_, most, plan_.slots, options_.what, options_.ledger);
  }
  slots_->begin();
  sent_bytes_.clear();
  for (size_t c = 0; c < inputs_.size(); ++c) {
    const std::span<std::byte> rows = rows_here(c);
    copy_on_all_cores(slots_->column(c), rows.data(), rows.size());
    sent_bytes_.push_back(rows.size());
  }
  return slots_->send(sent_bytes_, inputs_);
}

Config DatasetFeed::state() const {
  return Config::map({{"seed", static_cast<int64_t>(options_.seed)},
                      {"epoch", epoch_},
                      {"batches", delivered_},
                      {"samples", first_},
                      {"ended", ended_}});
}

// Makes the batches before the place no more than the stages need to get there, and none where the
// epoch was at its end.
void DatasetFeed::restore(const Config& state) {
  const auto number = [&](const char* key) {
    if (const Config* found = state.find(key)) return found->as_int();
    throw InvalidArgument(fmt::format("the checkpoint's place in the dataset has no \"{}\".", key));
  };
  options_.seed = static_cast<uint64_t>(number("seed"));
  note_fit();
  following_.reset();
  following_epoch_ = -1;
  if (number("epoch") < 0) return;
  start(number("epoch"));
  delivered_ = number("batches");
  first_ = number("samples");
  const Config* const ended = state.find("ended");
  ended_ = ended && ended->as_bool();
  if (!ended_ && cursor_->skip(delivered_) < delivered_)
    throw InvalidArgument(
        fmt::format("the checkpoint stands behind batch {} of epoch {}, but the dataset has fewer.",
                    delivered_, epoch_ + 1),
        "use the same data, or remove the checkpoint to train from the start.");
}

}  // namespace stoker::data
