#include "stoker/parallel_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/round_up.h"
#include "device/scope.h"
#include "distribution/collectives.h"
#include "nn/memory/device_of_model.h"
#include "nn/memory/forecaster.h"
#include "nn/model_impl.h"
#include "stoker/distribution.h"
#include "stoker/human_bytes.h"

namespace stoker::distribution {
namespace {

// Typical values, not measured ones; the user can give better ones.
constexpr double between_cpus = 5e9, between_gpus = 200e9, between_machines = 12.5e9;  // bytes/s
constexpr double latency_inside = 10e-6, latency_between_machines = 30e-6;             // seconds

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Of so many steps of fit, which launches several at once.
double seconds_in_fit(Model& model, const nn::FitTypes& types, int64_t rows, int64_t steps) {
  std::vector<Array> columns;
  for (TensorType column : types.train.columns) {
    column.shape[0] = rows * steps;
    columns.emplace_back(column.dtype, column.shape);
  }
  const auto targets = columns.begin() + static_cast<std::ptrdiff_t>(types.layout.x);
  model.fit(Arrays(std::vector<Array>(columns.begin(), targets)),
            Arrays(std::vector<Array>(targets, columns.end())), {.batch_size = rows, .verbose = 0});
  return static_cast<double>(rows) / model.impl().fits.last.samples_per_second;
}

// The minimum of several runs, as other processes may be using the machine.
double seconds_of_step(Model& model, const nn::FitTypes& types, int64_t rows) {
  constexpr int64_t few = 2, most_steps = 100, most_bytes = 64 << 20;
  int64_t bytes = 1;
  for (const TensorType& column : types.train.columns)
    bytes += rows * TensorType{column.dtype, column.shape.drop_front()}.bytes();
  seconds_in_fit(model, types, rows, few);  // compiles
  double best = seconds_in_fit(model, types, rows, few);
  const auto in_time = static_cast<int64_t>(std::min(0.02 / best, 1e6));
  const int64_t steps = std::clamp(std::min(in_time, most_bytes / bytes), few, most_steps);
  const auto begin = std::chrono::steady_clock::now();
  do {
    best = std::min(best, seconds_in_fit(model, types, rows, steps));
  } while (seconds_since(begin) < 0.5);
  return best;
}

// As one of several ranks: with sums between gradients and optimizer, which are not fused then.
// The same as alone where the device cannot add by itself.
double seconds_as_rank(Model& model, const nn::FitTypes& types, int64_t rows, double alone) {
  const GroupOfOneScope group;
  if (!group.adds_in_steps()) return alone;
  model.impl().steps.clear();
  const double seconds = seconds_of_step(model, types, rows);
  model.impl().steps.clear();
  return seconds;
}

// Ring all-reduce: every process sends and receives (n - 1) / n of the bytes twice.
double seconds_of_ring(const ParallelForecast& at) {
  const double n = at.args.processes;
  return 2 * (n - 1) * (at.latency + static_cast<double>(at.reduced_bytes) / n / at.args.bandwidth);
}

void check(const Model& model, const ForecastArgs& args) {
  nn::check_compiled(model, "a forecast");
  if (num_processes() > 1)
    throw InvalidArgument(fmt::format(
        "a forecast is measured on one process, and this is one of {}.", num_processes()));
  if (args.processes < 2)
    throw InvalidArgument(fmt::format("a forecast of {} processes.", args.processes),
                          "give at least 2 processes.");
  if (args.machines < 1 || args.machines > args.processes)
    throw InvalidArgument(
        fmt::format("{} processes cannot be on {} machines.", args.processes, args.machines));
  if (args.batch_size < args.processes)
    throw InvalidArgument(fmt::format("a batch of {} has no row for each of {} processes.",
                                      args.batch_size, args.processes),
                          "batch_size is that of all processes together.");
}

}  // namespace

ParallelForecast forecast(Model& model, const ForecastArgs& args) {
  check(model, args);
  const device::Scope scope(nn::device_of(model, "a forecast"));
  const bool on_host = scope.device().is_host();
  ParallelForecast at{.args = args, .device = scope.device().name()};
  if (args.bandwidth == 0)
    at.args.bandwidth = args.machines > 1 ? between_machines
                        : on_host         ? between_cpus
                                          : between_gpus;
  at.latency = args.machines > 1 ? latency_between_machines : latency_inside;
  const nn::FitTypes types = nn::described_types(model, false, scope.device());
  for (const Variable& variable : model.trainable_variables())
    at.reduced_bytes += variable.type().bytes();
  at.one = seconds_of_step(model, types, args.batch_size);
  const int64_t rows = ceil_div(args.batch_size, args.processes);
  at.part_alone = seconds_of_step(model, types, rows);
  at.part = seconds_as_rank(model, types, rows, at.part_alone);
  at.communication = seconds_of_ring(at);
  return at;
}

std::string ParallelForecast::to_string() const {
  const auto milliseconds = [](double seconds) { return seconds * 1e3; };
  std::string text = fmt::format(
      "{} processes{}, a batch of {} divided among them; measured on {}:\n"
      "  to reduce        {:>12} in every step\n"
      "  one process      {:>9.3f} ms a step (measured)\n"
      "  each of {:<4}     {:>9.3f} ms for its {} rows (measured) + {:.3f} ms of communication "
      "(computed: {:.1f} GB/s, {:.0f} us a message, nothing overlapped)\n"
      "  without sums     {:>9.3f} ms for these rows (measured): then gradients go straight into "
      "the optimizer\n"
      "  together         {:>9.2f} times as fast as one, efficiency {:.0f} %\n",
      args.processes,
      args.machines > 1 ? fmt::format(" on {} machines", args.machines) : " on one machine",
      args.batch_size, device, human_bytes(reduced_bytes), milliseconds(one), args.processes,
      milliseconds(part), ceil_div(args.batch_size, args.processes), milliseconds(communication),
      args.bandwidth * 1e-9, latency * 1e6, milliseconds(part_alone), speedup(),
      100 * efficiency());
  if (speedup() < 1)
    text += fmt::format("This network is faster on one {} with this batch.",
                        device.starts_with("/gpu") ? "GPU" : "process");
  else
    text += fmt::format("Each process has a {} like this one to itself.",
                        device.starts_with("/gpu") ? "GPU" : "machine or share of the cores");
  return text;
}

}  // namespace stoker::distribution
