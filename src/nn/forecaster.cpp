#include "nn/forecaster.h"

#include <algorithm>
#include <cmath>

#include "device/scope.h"
#include "exec/variable.h"
#include "graph/memory_peak.h"
#include "nn/batch_step.h"

namespace stoker::nn {

std::vector<TensorType> ColumnTypes::inputs(int64_t batch) const {
  std::vector<TensorType> found;
  if (layout.gathers) found.push_back({DType::int64, Shape{batch}});
  for (TensorType type : types) {
    type.shape[0] = layout.gathers && samples > 0 ? samples : batch;
    found.push_back(std::move(type));
  }
  return found;
}

namespace {

int64_t bytes_of_rows(std::vector<TensorType> types, int64_t rows) {
  int64_t sum = 0;
  for (TensorType& type : types) {
    type.shape[0] = rows;
    sum += type.bytes();
  }
  return sum;
}

}  // namespace

int64_t ColumnTypes::rows(int64_t batch) const {
  return samples == 0 ? batch : std::min(batch, samples);
}

int64_t ColumnTypes::bytes(int64_t batch) const {
  const int64_t held = samples == 0 || streams ? rows(batch) : samples;
  return bytes_of_rows(types, held) + (layout.gathers ? held * data::order_bytes : 0) +
         copied_bytes(batch);
}

// Of each step's rows. A gathered step finds all samples where they are, a streamed one its batch.
int64_t ColumnTypes::copied_bytes(int64_t batch) const {
  if (!copies || layout.gathers || streams) return 0;
  return bytes_of_rows(types, rows(batch) + (steps(batch) > 1 ? samples % batch : 0));
}

int64_t ColumnTypes::steps(int64_t batch) const {
  return samples > batch && samples % batch > 0 ? 2 : 1;
}

ColumnTypes types_of(const Columns& data, bool shuffle, const device::Device& device) {
  ColumnTypes columns{.layout = data.layout, .samples = data.samples()};
  uint64_t bytes = 0;
  for (const Array& array : data.arrays) {
    columns.types.push_back(array.type());
    bytes += array.bytes();
  }
  columns.streams = data::must_stream(bytes, device);
  columns.layout.gathers = shuffle && !columns.streams;
  columns.copies = device.describe().copies_inputs != 0;
  return columns;
}

FitTypes types_of(const FitColumns& columns, bool shuffle, const device::Device& device) {
  FitTypes data{.train = types_of(columns.train, shuffle, device)};
  if (columns.validation) data.validation = types_of(*columns.validation, false, device);
  return data;
}

int64_t FitTypes::batch_of_validation(int64_t batch) const {
  return validation_batch > 0 ? validation_batch : batch;
}

int64_t FitTypes::steps(int64_t batch) const {
  return train.steps(batch) + (validation ? validation->steps(batch_of_validation(batch)) : 0);
}

int64_t FitTypes::bytes(int64_t batch) const {
  return train.bytes(batch) + validation_bytes(batch);
}

int64_t FitTypes::validation_bytes(int64_t batch) const {
  if (!validation) return 0;
  ColumnTypes one_batch = *validation;
  one_batch.streams = true;
  return one_batch.bytes(batch_of_validation(batch));
}

int64_t FitTypes::copied_bytes(int64_t batch) const {
  const int64_t training = train.copied_bytes(batch);
  return validation ? training + validation->copied_bytes(batch_of_validation(batch)) : training;
}

int64_t FitTypes::optional_bytes(int64_t batch, int64_t free) const {
  if (!validation) return 0;
  ColumnTypes whole = *validation;
  whole.streams = false;
  const int64_t all = whole.bytes(batch_of_validation(batch)), least = validation_bytes(batch);
  return all <= (free + least) / 2 ? all - least : 0;  // as must_stream will decide
}

// Tracing makes the metrics for the targets it sees; those of a forecast are not the real ones.
struct Forecaster::Kept {
  decltype(Model::Impl::metrics) metrics;
  decltype(Model::Impl::metric_names) metric_names;
  decltype(Model::Impl::by_output) by_output;
  decltype(Model::Impl::outputs) outputs;
  decltype(Model::Impl::output_names) output_names;
  decltype(Model::Impl::label_classes) label_classes;
  explicit Kept(const Model::Impl& impl)
      : metrics(impl.metrics),
        metric_names(impl.metric_names),
        by_output(impl.by_output),
        outputs(impl.outputs),
        output_names(impl.output_names),
        label_classes(impl.label_classes) {}
};

Forecaster::Forecaster(Model& model, FitTypes data)
    : model_(model), data_(std::move(data)), kept_(std::make_unique<Kept>(model.impl())) {}

Forecaster::~Forecaster() {
  Model::Impl& impl = model_.impl();
  impl.metrics = std::move(kept_->metrics);
  impl.metric_names = std::move(kept_->metric_names);
  impl.by_output = std::move(kept_->by_output);
  impl.outputs = std::move(kept_->outputs);
  impl.output_names = std::move(kept_->output_names);
  impl.label_classes = std::move(kept_->label_classes);
}

exec::StepPlan Forecaster::plan(int64_t batch, Recompute recompute) const {
  const bool on_host = device::current_device("a memory forecast").is_host();
  const int64_t reserve = data_.resident || on_host ? 0 : data_.bytes(batch);
  return plan_for(model_, Phase::train, data_.train.layout, data_.train.inputs(batch),
                  {recompute, reserve, data_.steps(batch) - 1});
}

graph::Cost Forecaster::cost(int64_t batch) const { return plan(batch, false).cost(); }

MemoryForecast Forecaster::forecast(int64_t batch, Recompute recompute) const {
  const exec::StepPlan planned = plan(batch, recompute);
  MemoryForecast result{
      .batch_size = batch, .samples = data_.train.samples, .recomputes = planned.recomputes};
  for (const auto& use : planned.graph.states) {
    const int64_t bytes = use.state->type.bytes();
    switch (exec::memory_of(*use.state).kind) {
      case device::MemoryKind::parameters:
        result.parameters += bytes;
        break;
      case device::MemoryKind::optimizer:
        result.optimizer += bytes;
        break;
      default:
        result.other += bytes;
    }
  }
  const graph::MemoryPeak peak = graph::find_peak(planned.graph, planned.memory);
  result.gradients = peak.gradients;
  result.activations = peak.activations;
  result.workspace = peak.workspace;
  const int64_t further = (data_.steps(batch) - 1) * planned.constant_bytes;
  result.other += planned.constant_bytes + further;
  const StokerDevice device = planned.device.describe();
  result.device = planned.device.name();
  result.context = static_cast<int64_t>(device.context);
  const device::FreeMemory free = planned.device.free_memory();
  result.device_free = free.all;
  result.largest_piece = free.largest_piece;
  result.device_total = static_cast<int64_t>(device.memory);
  result.to_allocate = planned.bytes_to_allocate(model_.impl().arena.get()) + further;
  if (planned.device.is_host()) return result;
  result.inputs = data_.bytes(batch);
  if (!data_.resident) result.to_allocate += result.inputs;
  result.inputs += data_.optional_bytes(batch, result.largest_piece - result.to_allocate);
  return result;
}

// Memory is nearly linear in the batch, so a line through two plans says where the limit is. The
// search goes on around it, as layouts and kernels change with the size.
int64_t Forecaster::largest_batch(int64_t near, Recompute recompute, const Bounds& bounds) const {
  const int64_t most = bounds.most;
  int64_t fits = 0, does_not = most + 1, guess = std::clamp<int64_t>(near, 1, most);
  double limit = NAN, last_bytes = 0, last_batch = 0;
  const auto close = [&] {
    return does_not - fits <= (does_not > most ? 1 : std::max<int64_t>(1, fits / 256));
  };
  for (int tries = 1; !close(); ++tries) {
    double bytes = INFINITY;
    try {
      const MemoryForecast at = forecast(guess, recompute);
      bytes = static_cast<double>(at.to_allocate);
      if (std::isnan(limit))
        limit = bounds.share * static_cast<double>(at.largest_piece) -
                static_cast<double>(bounds.beside);
    } catch (const Error&) {  // too large for a kernel or an index
    }
    (bytes <= limit ? fits : does_not) = guess;
    const double batch = static_cast<double>(guess);
    const double slope = (bytes - last_bytes) / (batch - last_batch);
    double next = batch + (limit - bytes) / slope;
    const bool inside = next > static_cast<double>(fits) && next < static_cast<double>(does_not);
    if (next >= static_cast<double>(most) && does_not > most)
      next = static_cast<double>(most);
    else if (!inside || tries % 4 == 0)
      next = static_cast<double>(fits) + static_cast<double>(does_not - fits) / 2;
    last_bytes = bytes;
    last_batch = batch;
    guess = std::clamp(static_cast<int64_t>(next), fits + 1, std::max(fits + 1, does_not - 1));
  }
  return fits;
}

}  // namespace stoker::nn
