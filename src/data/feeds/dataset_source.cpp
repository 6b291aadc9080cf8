#include <fmt/format.h>

#include <algorithm>

#include "data/feeds/array_feed.h"
#include "data/feeds/dataset_feed.h"

namespace stoker::data {
namespace {

// The type of a batch; the number of rows is ignored.
TensorType column_of(const TensorSpec& spec, size_t array, const Stage& stage) {
  Shape shape = spec.shape;
  if (shape.rank() == 0)
    throw InvalidArgument(fmt::format("array {} of the elements of {} is {}, which is not a batch "
                                      "of samples.",
                                      array, stage.where(), to_string(spec)),
                          "end the dataset with batch or padded_batch.");
  shape[0] = 1;
  return {spec.text ? DType::int64 : spec.dtype, std::move(shape)};
}

// Without a spec, the first batch tells the types, but not the other batches' shapes.
TensorType with_any_shape(TensorType type) {
  for (int axis = 1; axis < type.shape.rank(); ++axis) type.shape[axis] = unknown;
  return type;
}

bool is_known(const TensorType& type) { return type.shape.is_known(); }

int64_t rows_of(const Stage& stage, const TensorSpec& batch) {
  return stage.batch_rows() > 0 ? stage.batch_rows() : batch.shape[0];
}

// For a dataset that consists only of rows of arrays.
class RowsFeed : public ArrayFeed {
 public:
  RowsFeed(const DatasetSource& source, const ArraySource& arrays, const FeedPlan& plan,
           const device::Device& device, const FeedOptions& options)
      : ArrayFeed(arrays, plan, device, options),
        source_(source),
        options_(options),
        consumer_(source.dataset.stage()) {
    source_.note_fit(options_);
  }
  void restore(const Config& state) override {
    ArrayFeed::restore(state);
    if (const Config* seed = state.find("seed"))
      options_.seed = static_cast<uint64_t>(seed->as_int());
    source_.note_fit(options_);
  }
  void limit(std::vector<ColumnLimit> limits) override {
    const Element arrays = source_.dataset.stage()->rows_in_order()->arrays;
    for (size_t c = 0; c < limits.size(); ++c)
      check_limit(arrays.arrays()[source_.order[c]], limits[c], "sample");
  }
  PipelineStatistics statistics() const override { return consumer_.statistics(); }

 private:
  DatasetSource source_;
  FeedOptions options_;
  Consumer consumer_;
};

}  // namespace

DatasetSource::DatasetSource(Dataset batches, std::vector<size_t> places, const ElementSpec& spec)
    : dataset(std::move(batches)), order(std::move(places)) {
  const Stage& stage = *dataset.stage();
  if (order.empty())
    throw InvalidArgument(fmt::format("the elements of {} are {}, without arrays for the model.",
                                      stage.where(), to_string(spec)));
  const bool told = stage.spec().has_value();
  for (const size_t array : order) {
    columns.push_back(column_of(spec.arrays.at(array), array, stage));
    allowed.push_back(told ? columns.back() : with_any_shape(columns.back()));
  }
  rows = rows_of(stage, spec.arrays.at(order[0]));
  any_rows = stage.batch_rows() == 0 && (!told || rows == unknown);
  if (rows != unknown && std::ranges::all_of(columns, is_known)) return;
  const ElementSpec first = spec_of_first(dataset.stage());
  for (size_t c = 0; c < order.size(); ++c)
    columns[c] = column_of(first.arrays.at(order[c]), order[c], stage);
  rows = rows_of(stage, first.arrays[order[0]]);
}

bool DatasetSource::varies() const { return any_rows || !std::ranges::all_of(allowed, is_known); }

bool DatasetSource::allows(size_t column, const TensorType& type) const {
  const TensorType& wanted = allowed[column];
  if (type.dtype != wanted.dtype || type.shape.rank() != wanted.shape.rank()) return false;
  for (int axis = 1; axis < type.shape.rank(); ++axis)
    if (wanted.shape[axis] != unknown && wanted.shape[axis] != type.shape[axis]) return false;
  return true;
}

// If a dataset is only rows of arrays, it is fed like arrays, with the same permutations: no thread
// copies rows, and a device may hold them.
std::optional<RowsInOrder> DatasetSource::batches_of_rows() const {
  auto found = dataset.stage()->rows_in_order();
  return found && found->batch_size > 0 ? found : std::nullopt;
}

ArraySource DatasetSource::arrays_of(const RowsInOrder& found) const {
  std::vector<Array> arrays;
  for (const size_t place : order) arrays.push_back(found.arrays.arrays()[place]);
  return ArraySource(std::move(arrays), found.shuffled);
}

FeedPlan DatasetSource::plan(const device::Device& device, int64_t beside) const {
  if (const auto found = batches_of_rows()) {
    FeedPlan plan = arrays_of(*found).plan(device, beside);
    plan.own_batch_size = found->batch_size;
    return plan;
  }
  const int64_t batches = dataset.cardinality();
  return with_cache({.columns = columns,
                     .varies = varies(),
                     .known_batches = is_finite(batches) ? batches : 0,
                     .endless = batches == INFINITE_CARDINALITY,
                     .own_batch_size = rows,
                     .streams = !device.is_host()},
                    device, beside);
}

// Batches are cached on the device if they need at most half of its free memory, as for arrays.
FeedPlan DatasetSource::with_cache(FeedPlan plan, const device::Device& device,
                                   int64_t beside) const {
  const auto cache = plan.streams ? dataset.stage()->device_cache(device) : nullptr;
  if (!cache) return plan;
  const bool there = cache->kept(order) != nullptr;
  const int64_t bytes = there ? 0 : plan.known_batches * plan.bytes_of_batch();
  plan.keeps = there || (plan.known_batches > 0 &&
                         bytes <= (device.free_memory().largest_piece - beside) / 2);
  plan.kept_bytes = plan.keeps ? bytes : 0;
  plan.copies = plan.keeps && device.describe().copies_inputs != 0;
  return plan;
}

std::unique_ptr<Feed> DatasetSource::open(const FeedPlan& plan, const device::Device& device,
                                          const FeedOptions& options) const {
  const auto found = batches_of_rows();
  if (!found) return std::make_unique<DatasetFeed>(*this, plan, device, options);
  FeedOptions chosen = options;
  chosen.batch_size = found->batch_size;
  chosen.seed = found->seed.value_or(options.seed);
  return std::make_unique<RowsFeed>(*this, arrays_of(*found), plan, device, chosen);
}

void DatasetSource::note_fit(const FeedOptions& options) const {
  if (!options.trains) return;
  const Stage& told = given ? *given : *dataset.stage();
  told.note_fit({.seed = options.seed,
                 .steps_per_epoch = options.steps_per_epoch,
                 .maps_behind = given ? 1 : 0});
}

}  // namespace stoker::data
