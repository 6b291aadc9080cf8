#include <fmt/format.h>

#include "stoker/ops/elementwise.h"
#include "stoker/optimizer.h"

// Exponential moving averages of the variables (use_ema).
namespace stoker {

void Optimizer::average_variables() {
  const Tensor taken = updates_taken();
  const Tensor momentum =  // the first average is the variable itself
      ops::cast(ops::greater(taken, 0.0), DType::float32) * options_.ema_momentum;
  Tensor overwrites;
  if (options_.ema_overwrite_frequency) {
    const auto n = static_cast<double>(*options_.ema_overwrite_frequency);
    overwrites = ops::equal(taken + 1.0 - ops::floor((taken + 1.0) / n) * n, 0.0);
  }
  for (const Variable& variable : built_) {
    const Variable average = slot(variable, "average");
    const Tensor share = ops::cast(momentum, variable.dtype());
    average.assign(share * average + (1.0 - share) * variable);
    if (overwrites.defined()) variable.assign(ops::where(overwrites, average, variable));
  }
}

void Optimizer::finalize_variable_values() {
  if (!options_.use_ema) return;
  for (const Variable& variable : built_) variable.set(slot(variable, "average").array());
}

void Optimizer::swap_averages() {
  if (!options_.use_ema)
    throw InvalidArgument(fmt::format("[{}] keeps no averages of the variables.", name()),
                          "make it with use_ema.");
  for (const Variable& variable : built_) {
    const Variable average = slot(variable, "average");
    const Array value = variable.array();
    variable.set(average.array());
    average.set(value);
  }
}

void Optimizer::overwrite_averages() {
  for (const Variable& variable : built_) slot(variable, "average").set(variable.array());
}

}  // namespace stoker
