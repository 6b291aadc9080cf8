#include "nn/memory/forecaster.h"

#include <algorithm>
#include <cmath>

#include "device/scope.h"
#include "exec/variable.h"
#include "graph/memory_peak.h"
#include "nn/training/batch_step.h"

namespace stoker::nn {

FitTypes types_of(const FitData& data, const device::Device& device) {
  FitTypes types{.train = divided(data.train.source->plan(device)), .layout = data.train.layout};
  types.layout.gathers = types.train.gathers;
  if (data.validation) types.validation = divided(data.validation->source->plan(device));
  return types;
}

FitTypes data_of_a_batch(const data::FeedPlan& plan, const StepLayout& layout) {
  return {.train = plan, .layout = layout, .resident = true};
}

int64_t FitTypes::batch_of_validation(int64_t batch) const {
  return validation->batch_size(validation_batch > 0 ? validation_batch : batch);
}

int64_t FitTypes::steps(int64_t batch) const {
  return train.steps(batch) + (validation ? validation->steps(batch_of_validation(batch)) : 0);
}

int64_t FitTypes::bytes(int64_t batch) const {
  return train.bytes(batch) + validation_bytes(batch);
}

int64_t FitTypes::validation_bytes(int64_t batch) const {
  return validation ? validation->placed(0).bytes(batch_of_validation(batch)) : 0;
}

int64_t FitTypes::copied_bytes(int64_t batch) const {
  const int64_t training = train.copied_bytes(batch);
  return validation ? training + validation->copied_bytes(batch_of_validation(batch)) : training;
}

int64_t FitTypes::optional_bytes(int64_t batch, int64_t free) const {
  if (!validation) return 0;
  const int64_t least = validation_bytes(batch);
  return validation->placed(free + least).bytes(batch_of_validation(batch)) - least;
}

exec::StepPlan Forecaster::plan(int64_t batch, Recompute recompute) const {
  const bool on_host = device::current_device("a memory forecast").is_host();
  const int64_t reserve = data_.resident || on_host ? 0 : data_.bytes(batch);
  return plan_for(model_, Phase::train, data_.layout.of(data_.train.slice(batch)),
                  data_.train.inputs(batch), {recompute, reserve, data_.steps(batch) - 1});
}

graph::Cost Forecaster::cost(int64_t batch) const { return plan(batch, false).cost(); }

// Steps share an arena, but a step that needs more gets its own: a small batch may have kernels
// with a larger workspace.
int64_t Forecaster::further_arenas(int64_t batch, const exec::StepPlan& full) const {
  int64_t largest = full.memory.arena_bytes, more = 0;
  const auto add = [&](Phase phase, const StepLayout& layout, const data::FeedPlan& data,
                       int64_t rows) {
    if (rows == 0) return;
    const int64_t bytes =
        plan_for(model_, phase, layout.of(data.slice(rows)), data.inputs(rows), {})
            .memory.arena_bytes;
    if (bytes > largest) more += largest = bytes;
  };
  add(Phase::train, data_.layout, data_.train, data_.train.last_rows(batch));
  if (!data_.validation || data_.validation->columns.size() != data_.train.columns.size())
    return more;
  StepLayout layout = data_.layout;
  layout.gathers = data_.validation->gathers;
  const int64_t rows = data_.validation->rows(data_.batch_of_validation(batch));
  add(Phase::test, layout, *data_.validation, rows);
  add(Phase::test, layout, *data_.validation, data_.validation->last_rows(rows));
  return more;
}

MemoryForecast Forecaster::forecast(int64_t batch, Recompute recompute, Steps steps) const {
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
  result.to_allocate = planned.bytes_to_allocate(model_.impl().steps.arena.get()) + further;
  if (steps == Steps::all && !planned.device.is_host()) {
    const int64_t more = further_arenas(batch, planned);
    result.workspace += more;
    result.to_allocate += more;
  }
  if (planned.device.is_host()) return result;
  result.inputs = data_.bytes(batch);
  if (!data_.resident) result.to_allocate += result.inputs;
  result.inputs += data_.optional_bytes(batch, result.largest_piece - result.to_allocate);
  return result;
}

// Memory is nearly linear in the batch size, so a line through two plans estimates the limit. The
// search continues around it, as layouts and kernels change with the size.
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
