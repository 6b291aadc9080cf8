#include "data/feeds/dataset_feed.h"

#include <fmt/format.h>

#include "core/stream_copy.h"
#include "core/thread_pool.h"
#include "stoker/human_bytes.h"
#include "stoker/interrupt.h"

namespace stoker::data {

DatasetFeed::DatasetFeed(const DatasetSource& source, const FeedPlan& plan,
                         const device::Device& device, const FeedOptions& options)
    : source_(source),
      plan_(plan),
      device_(device),
      options_(options),
      divided_(plan.division.size > 1 ? source.dataset.stage()->batching() : std::nullopt),
      consumer_(source.dataset.stage(), {"added by fit", &ahead_meter_}),
      keeps_(plan.keeps) {
  inputs_.resize(source_.columns.size());
  strides_.resize(inputs_.size());
  ahead_meter_.setting.tune("batches ahead", Prefetched::first_ahead, Prefetched::most_ahead);
  source_.note_fit(options_);
  open_cache();
}

void DatasetFeed::open_cache() {
  cache_ = plan_.streams ? source_.dataset.stage()->device_cache(device_) : nullptr;
  if (!cache_ || plan_.keeps) return;
  if (plan_.known_batches == 0)
    cache_->refuse("the number of batches is unknown; assert_cardinality can set it");
  else
    cache_->refuse(fmt::format("the batches take {}, more than half of the {} that are free on {}",
                               human_bytes(plan_.known_batches * plan_.bytes_of_batch()),
                               human_bytes(device_.free_memory().largest_piece), device_.name()));
}

// Allocates memory for as many batches as the dataset has.
void DatasetFeed::begin_keeping() try {
  keeping_ = room_for(plan_, source_.order, device_);
} catch (const OutOfMemory& error) {
  stop_keeping(error.message());
}

// From the next epoch on, cache_on_device caches the batches on the host.
void DatasetFeed::stop_keeping(const std::string& why) {
  keeping_.reset();
  keeps_ = false;
  cache_->refuse(why);
}

StokerTicket DatasetFeed::send_and_keep() {
  const auto i = static_cast<int64_t>(keeping_->rows.size());
  std::vector<device::Buffer> places;
  for (size_t c = 0; c < inputs_.size(); ++c) places.push_back(keeping_->at(c, i));
  keeping_->rows.push_back(given_.arrays()[source_.order[0]].length());
  const StokerTicket sent = slots_->send_to(places, sent_bytes_, inputs_);
  if (i + 1 < plan_.known_batches) return sent;
  keeping_->sent = sent;
  cache_->keep(std::exchange(keeping_, nullptr));
  return sent;
}

int64_t DatasetFeed::bytes_to_upload() const {
  return plan_.streams && !slots_ ? plan_.held_bytes(source_.rows) : 0;
}

std::unique_ptr<Prefetched> DatasetFeed::opened(int64_t epoch) {
  const Stage& stage = *source_.dataset.stage();
  const Opening opening{
      .seed = options_.seed, .pass = epoch, .memory = memory_, .kept_on_device = keeps_};
  auto cursor = divided_ ? stage.open_rows(opening, plan_.division) : stage.open(opening);
  return std::make_unique<Prefetched>(std::move(cursor), ahead_meter_, source_.dataset.stage());
}

void DatasetFeed::start(int64_t epoch) {
  cursor_ = following_epoch_ == epoch ? std::move(following_) : nullptr;
  following_.reset();
  following_epoch_ = -1;
  keeping_.reset();
  kept_ = keeps_ ? cache_->kept(source_.order) : nullptr;
  if (keeps_ && !kept_) begin_keeping();
  if (!cursor_ && !kept_) cursor_ = opened(epoch);
  ahead_.reset();
  ended_ = false;
  epoch_ = epoch;
  delivered_ = first_ = 0;
}

void DatasetFeed::prepare(int64_t epoch) {
  if (keeps_) return;
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
bool DatasetFeed::exhausted() try {
  return kept_ ? delivered_ == static_cast<int64_t>(kept_->rows.size()) : !look_ahead();
} catch (const Interrupted&) {
  return false;
}

// Full batches are contiguous.
bool DatasetFeed::next_kept(Batch& batch, int64_t most) {
  const auto all = static_cast<int64_t>(kept_->rows.size());
  if (delivered_ == all) return false;
  const auto rows_at = [&](int64_t i) { return kept_->rows[static_cast<size_t>(i)]; };
  batch = {.after = kept_->sent, .rows = rows_at(delivered_), .first = first_, .count = 1};
  while (batch.count < most && delivered_ + batch.count < all && batch.rows == source_.rows &&
         rows_at(delivered_ + batch.count) == batch.rows)
    ++batch.count;
  for (size_t c = 0; c < inputs_.size(); ++c) {
    inputs_[c] = kept_->at(c, delivered_).data();
    strides_[c] = static_cast<int64_t>(kept_->batch_bytes[c]);
  }
  types_ = inputs(batch.rows);
  batch.inputs = inputs_.data();
  batch.strides = strides_.data();
  batch.types = &types_;
  delivered_ += batch.count;
  first_ += batch.rows * batch.count;
  return true;
}

bool DatasetFeed::next(Batch& batch, int64_t most) {
  if (kept_) return next_kept(batch, most);
  if (!look_ahead()) return false;
  check(*ahead_);
  given_ = std::move(*ahead_);
  ahead_.reset();
  batch = {.first = first_, .count = 1};
  batch.rows = divided_ ? divided_->rows(delivered_) : given_.arrays()[source_.order[0]].length();
  set_types(batch.rows);
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

// Of the current batch.
void DatasetFeed::set_types(int64_t rows) {
  types_ = inputs(rows);
  for (size_t c = 0; c < types_.size(); ++c) {
    const Shape& given = given_.arrays()[source_.order[c]].shape();
    for (int axis = 1; axis < given.rank(); ++axis) types_[c].shape[axis] = given[axis];
  }
  if (keeping_ && (rows > source_.rows || types_ != inputs(rows)))
    stop_keeping("the batches have different shapes");
}

static void copy_on_all_cores(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr int64_t grain = int64_t{256} << 10;
  parallel_for(static_cast<int64_t>(bytes), grain, [&](int64_t begin, int64_t end) {
    stream_copy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
}

// This rank's rows of a column of the current batch.
std::span<std::byte> DatasetFeed::rows_here(size_t column) const {
  Array array = given_.arrays()[source_.order[column]];
  if (divided_) return {array.mutable_raw(), array.bytes()};
  const distribution::Slice slice = plan_.slice(array.length());
  const size_t row = array.row_bytes();
  return {array.mutable_raw() + static_cast<size_t>(slice.first) * row,
          static_cast<size_t>(slice.here) * row};
}

PipelineStatistics DatasetFeed::statistics() const {
  PipelineStatistics statistics = consumer_.statistics();
  const int64_t ranks = plan_.division.size;
  if (divided_)
    statistics.notes.push_back(
        fmt::format("input: each of {} ranks makes its rows of every batch.", ranks));
  else if (ranks > 1)
    statistics.notes.push_back(fmt::format("input: each of {} ranks makes whole batches, since {}.",
                                           ranks, source_.dataset.stage()->why_whole()));
  return statistics;
}

StokerTicket DatasetFeed::send() {
  if (!slots_) {
    StreamSlot::Size size{.slots = plan_.slots};
    for (const TensorType& type : inputs(source_.rows))
      size.columns.push_back(static_cast<uint64_t>(type.bytes()));
    slots_.emplace(device_, size, options_.what, options_.ledger);
  }
  sent_bytes_.clear();
  for (size_t c = 0; c < inputs_.size(); ++c) sent_bytes_.push_back(rows_here(c).size());
  slots_->begin(sent_bytes_);
  for (size_t c = 0; c < inputs_.size(); ++c)
    copy_on_all_cores(slots_->column(c), rows_here(c).data(), sent_bytes_[c]);
  return keeping_ ? send_and_keep() : slots_->send(sent_bytes_, inputs_);
}

Config DatasetFeed::state() const {
  return Config::map({{"seed", static_cast<int64_t>(options_.seed)},
                      {"epoch", epoch_},
                      {"batches", delivered_},
                      {"samples", first_},
                      {"ended", ended_}});
}

// Makes only the earlier batches that stages need to get to the position, and none if the epoch was
// at its end.
void DatasetFeed::restore(const Config& state) {
  const auto number = [&](const char* key) {
    if (const Config* found = state.find(key)) return found->as_int();
    throw InvalidArgument(fmt::format("the checkpoint's place in the dataset has no \"{}\".", key));
  };
  options_.seed = static_cast<uint64_t>(number("seed"));
  source_.note_fit(options_);
  following_.reset();
  following_epoch_ = -1;
  if (number("epoch") < 0) return;
  start(number("epoch"));
  delivered_ = number("batches");
  first_ = number("samples");
  const Config* const ended = state.find("ended");
  ended_ = ended && ended->as_bool();
  if (kept_) return;
  if (delivered_ > 0) keeping_.reset();  // batches from before the checkpoint are not cached
  if (!ended_ && cursor_->skip(delivered_) < delivered_)
    throw InvalidArgument(
        fmt::format(
            "the checkpoint is after batch {} of epoch {}, but the dataset has fewer batches.",
            delivered_, epoch_ + 1),
        "use the same data, or remove the checkpoint to train from the start.");
}

}  // namespace stoker::data
