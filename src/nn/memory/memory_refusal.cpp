#include "nn/memory/memory_refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/round_up.h"
#include "device/scope.h"
#include "nn/training/batch_step.h"
#include "stoker/human_bytes.h"

namespace stoker::nn {
namespace {

std::string line(const std::string& way, int64_t bytes, int64_t available, const char* about = "") {
  return fmt::format("\n  {:<66} {}{}{}", way, about, human_bytes(bytes),
                     bytes <= available ? "" : " (does not fit either)");
}

bool computes_in_16_bit(const Model& model) {
  const auto layers = model.layers();
  return std::any_of(layers.begin(), layers.end(), [](const LayerRef& layer) {
    return is_floating(layer->compute_dtype()) && size_of(layer->compute_dtype()) == 2;
  });
}

// Activations and workspaces need half the bytes, plus a 16-bit copy of the weights.
int64_t in_mixed_precision(const MemoryForecast& at) {
  const int64_t halved = at.activations + at.gradients + at.workspace;
  return at.total() - halved / 2 + at.parameters / 2;
}

// With gradient accumulation: the largest part of the batch that fits together with the
// accumulated gradients.
std::string accumulation(Model& model, const Forecaster& forecaster, const MemoryForecast& at,
                         Recompute recompute, int64_t available) {
  const int64_t batch = at.batch_size, smaller = at.largest_batch;
  const int64_t sums = model.optimizer().accumulates() ? 0 : at.parameters;
  const int64_t largest =
      smaller > 0 ? forecaster.largest_batch(smaller, recompute, {.most = smaller, .beside = sums})
                  : 0;
  if (largest == 0) return "";
  const int64_t steps = ceil_div(batch, largest), part = batch / steps;
  return line(fmt::format("batch_size = {}, gradient_accumulation_steps = {} of the optimizer",
                          part, steps),
              forecaster.forecast(part, recompute).total() + sums, available, "about ");
}

std::string ways_out(Model& model, const Forecaster& forecaster, const MemoryForecast& at,
                     Recompute recompute) {
  const int64_t available = at.total() - at.to_allocate + at.largest_piece;
  const int64_t batch = at.batch_size, smaller = at.largest_batch;
  std::string text = "\nWays out:";
  if (at.parameters + at.optimizer > available)
    text += fmt::format("\n  smaller layers: weights and optimizer alone take {}",
                        human_bytes(at.parameters + at.optimizer));
  if (smaller > 0)
    text += line(fmt::format("batch_size = {}", smaller),
                 forecaster.forecast(smaller, recompute).total(), available);
  if (recompute.never())
    text += line("fit's recompute = true", forecaster.forecast(batch, true).total(), available);
  if (!computes_in_16_bit(model))
    text += line("mixed precision, dtype_policy = \"mixed_bfloat16\"", in_mixed_precision(at),
                 available, "about ");
  return text + accumulation(model, forecaster, at, recompute, available);
}

OutOfMemory too_large(Model& model, const FitTypes& data, int64_t batch, Recompute recompute,
                      const OutOfMemory& error) {
  const Forecaster forecaster(model, data);
  MemoryForecast at = forecaster.forecast(batch, recompute);
  if (at.fits()) return error;  // something else did not fit
  at.largest_batch = batch > 1 ? forecaster.largest_batch(batch / 2, recompute, {batch - 1}) : 0;
  at.holders = device::current_device("fit").memory_holders();
  return OutOfMemory("out of memory.\n" + at.to_string() +
                     ways_out(model, forecaster, at, recompute));
}

}  // namespace

exec::StepRef train_step_for(Model& model, const StepLayout& layout,
                             const std::vector<TensorType>& inputs,
                             const std::function<FitTypes()>& data,
                             const exec::StepOptions& options) {
  try {
    return step_for(model, Phase::train, layout, inputs, options);
  } catch (const OutOfMemory& error) {
    throw too_large(model, data(), inputs.at(0).shape[0], options.recompute, error);
  }
}

}  // namespace stoker::nn
