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
  const Samples data = samples(batch);
  try_fed(model, data.x, data.y, run);
  return run;
}

// What a sample takes of a core: several times what the device takes for it.
Pair expensive(const Array& x, const Array& y) {
  spin(on_gpu ? 200e-6 : 100e-6);
  return {x, y};
}

const MapArgs parallel{.num_parallel_calls = AUTOTUNE}, serial{.num_parallel_calls = 1};

// Storage that answers late: a block of samples at a time, each after a while.
Dataset slow_blocks() {
  static const Samples data = samples(count);
  const auto begin = [] {
    return [next = int64_t{0}]() mutable -> std::optional<Element> {
      if (next >= count) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const int64_t first = std::exchange(next, next + batch);
      return Element{data.x.rows(first, next), data.y.rows(first, next)};
    };
  };
  return Dataset::from_generator(begin,
                                 rows().batch(batch, {.drop_remainder = true}).element_spec());
}

}  // namespace

std::vector<Fault> input_faults() {
  return {
      {.name = "slow map",
       .causes = {"slow_stage", "serial_stage"},
       .faulty = [] { return fit_on(rows().map(expensive, parallel).batch(batch)); },
       .mended = [] { return fit_on(rows().map(expensive, parallel).batch(batch).cache()); }},
      {.name = "serial decode",
       .causes = {"serial_stage"},
       .faulty = [] { return fit_on(rows().map(expensive, serial).batch(batch)); },
       .mended = [] { return fit_on(rows().map(expensive, parallel).batch(batch)); }},
      {.name = "slow storage",
       .causes = {"storage"},
       .faulty = [] { return fit_on(slow_blocks()); },
       .mended = [] { return fit_on(slow_blocks().cache()); }},
      {.name = "missing prefetch",
       .causes = {},
       .faulty = [] { return fit_on(rows().map(expensive, parallel).batch(batch)); },
       .mended = [] { return fit_on(rows().map(expensive, parallel).batch(batch).prefetch(4)); },
       .instead = "fit prefetches by itself: both forms train at the same rate"}};
}

}  // namespace stoker::faults
