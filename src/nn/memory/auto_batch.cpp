#include "nn/memory/auto_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "nn/training/batch_step.h"

namespace stoker::nn {
namespace {

constexpr int64_t usual_batch = 32;         // Keras's default
constexpr int64_t steps_of_an_epoch = 100;  // with fewer updates an epoch learns less
constexpr double share_of_memory = 0.9;     // of the free memory: others allocate, too
constexpr double fixed_share = 0.1;  // of a step's memory traffic: weights and optimizer states
constexpr double values_per_core = 16384;  // of work for each kernel

int64_t floor_power(double x) {
  return x < 1 ? 1 : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(x)));
}
int64_t ceil_power(double x) {
  return x < 1 ? 1 : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(x)));
}

// The size from which a larger batch hardly increases throughput: weights are then a small part of
// a step's memory traffic, and each kernel has work for all cores.
int64_t saturating_batch(Model& model, const FitTypes& data) {
  const int64_t small = usual_batch, large = 2 * usual_batch;
  const auto at = [&](int64_t batch) {
    return plan_for(model, Phase::train, data.layout.of(data.train.slice(batch)),
                    data.train.inputs(batch));
  };
  const exec::StepPlan plan = at(small);
  const double traffic = plan.cost().bytes;
  const double per_sample =
      std::max(1.0, (at(large).cost().bytes - traffic) / static_cast<double>(large - small));
  const double fixed = std::max(0.0, traffic - per_sample * static_cast<double>(small));
  const auto kernels = static_cast<double>(std::max<size_t>(plan.graph.nodes.size(), 1));
  const double values = per_sample / sizeof(float) / kernels;
  const double cores = plan.device.describe().cores;
  return ceil_power(std::max(fixed / fixed_share / per_sample, cores * values_per_core / values));
}

}  // namespace

ChosenBatch choose_batch(Model& model, const FitTypes& data, Recompute recompute) {
  const int64_t samples = data.train.samples;
  const int64_t n = samples > 0 ? samples : largest_thinkable_batch;
  const int64_t by_data =
      std::min(floor_power(static_cast<double>(n)),
               std::max(usual_batch, floor_power(static_cast<double>(n / steps_of_an_epoch))));
  const Forecaster forecaster(model, data);
  const int64_t by_work = saturating_batch(model, data);
  ChosenBatch chosen{by_data, by_data <= usual_batch
                                  ? fmt::format("{} samples make few steps an epoch as it is", n)
                                  : fmt::format("more would leave fewer than {} steps an epoch",
                                                steps_of_an_epoch)};
  if (by_work < by_data) chosen = {by_work, "more would not make it faster"};
  const int64_t by_memory = floor_power(static_cast<double>(
      forecaster.largest_batch(chosen.size, recompute, {chosen.size, share_of_memory})));
  if (by_memory < chosen.size)
    chosen = {by_memory, fmt::format("more would take over {:.0f} % of the free memory",
                                     100 * share_of_memory)};
  return chosen;
}

}  // namespace stoker::nn
