#include <chrono>
#include <thread>
#include <utility>

#include "faults/fault.h"

namespace stoker::faults {
namespace {

constexpr int64_t count = 2048, batch = 64, units = 256;
using Pair = std::pair<Array, Array>;

Dataset rows() {
  static const Samples data = samples(count);
  return Dataset::from_tensor_slices({data.x, data.y});
}

Run fit_on(const Dataset& batches) {
  Sequential model = classifier(units);
  Run run = run_fit(
      model, [&](Model& m, int64_t epochs) { m.fit(batches, {.epochs = epochs, .verbose = 0}); });
  try_fed(model, batches, run);
  return run;
}

// Several times the device's time for a sample. On a CPU it sleeps, as the steps need all cores.
Pair expensive(const Array& x, const Array& y) {
  if (on_gpu)
    spin(200e-6);
  else
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return {x, y};
}

const MapArgs parallel{.num_parallel_calls = AUTOTUNE}, serial{.num_parallel_calls = 1};

// Storage with a high latency: blocks of samples, each after a delay.
Dataset slow_blocks(int64_t rows, double seconds) {
  static const Samples data = samples(count);
  const auto begin = [=] {
    return [=, next = int64_t{0}]() mutable -> std::optional<Element> {
      if (next >= count) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      const int64_t first = std::exchange(next, next + rows);
      return Element{data.x.rows(first, next), data.y.rows(first, next)};
    };
  };
  return Dataset::from_generator(
      begin, faults::rows().batch(rows, {.drop_remainder = true}).element_spec());
}
Dataset slow_storage() { return slow_blocks(batch, 10e-3); }

double seconds_of_a_step(Model& model, const Samples& data) {
  constexpr int steps = 20;
  model.train_on_batch(data.x, data.y);  // compiles
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) model.train_on_batch(data.x, data.y);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / steps;
}

// A user-defined loop whose batches take somewhat less time to make than a step.
Run loop_over(bool prefetches) {
  const int64_t rows = on_gpu ? 2048 : 128;
  Sequential model = classifier(on_gpu ? 4096 : 1024);
  const Dataset blocks = slow_blocks(rows, 0.7 * seconds_of_a_step(model, samples(rows)));
  const Dataset batches = prefetches ? blocks.prefetch(4) : blocks;
  Run run;
  const AccountScope scope;
  for (int epoch = 0; epoch < (on_gpu ? 100 : 8); ++epoch)
    for (const auto& [x, y] : batches) model.train_on_batch(x, y);
  run.account = scope.account();
  run.step = run.account.step_seconds;
  return run;
}

// Batches of many bytes for little work: sent at every step, or kept on the device.
Run fit_on_large_rows(bool stays) {
  constexpr int64_t features = 16384, large = 1024;
  static const Samples data = samples(8 * large, features);
  using namespace layers;
  set_random_seed(1);
  Sequential model({Input({.shape = {features}}), Dense({.units = 16, .activation = "relu"}),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const Dataset batches = Dataset::from_tensor_slices({data.x, data.y}).batch(large).cache();
  const Dataset fed = stays ? batches.cache_on_device() : batches;
  Run run = run_fit(
      model, [&](Model& m, int64_t epochs) { m.fit(fed, {.epochs = epochs, .verbose = 0}); });
  if (!stays) try_fed(model, batches, run);
  return run;
}

}  // namespace

std::vector<Fault> input_faults() {
  return {{.name = "slow map",
           .causes = {"slow_stage", "serial_stage"},
           .faulty = [] { return fit_on(rows().map(expensive, parallel).batch(batch)); },
           .mended = [] { return fit_on(rows().map(expensive, parallel).batch(batch).cache()); }},
          {.name = "serial decode",
           .causes = {"serial_stage"},
           .faulty = [] { return fit_on(rows().map(expensive, serial).batch(batch)); },
           .mended = [] { return fit_on(rows().map(expensive, parallel).batch(batch)); }},
          {.name = "slow storage",
           .causes = {"storage"},
           .faulty = [] { return fit_on(slow_storage()); },
           .mended = [] { return fit_on(slow_storage().cache()); }},
          {.name = "missing prefetch",
           .causes = {"no_prefetch"},
           .faulty = [] { return loop_over(false); },
           .mended = [] { return loop_over(true); }},
          {.name = "copies each step",
           .causes = {"copies"},
           .faulty = [] { return fit_on_large_rows(false); },
           .mended = [] { return fit_on_large_rows(true); },
           .on_cpu = false}};
}

}  // namespace stoker::faults
