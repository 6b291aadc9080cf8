#include "graph/emit.h"
#include "stoker/ops/elementwise.h"
#include "stoker/optimizer.h"

// Gradient accumulation inside the step: every step adds its gradient, and the optimizer's update
// is applied in every n-th step only.
namespace stoker {

Tensor Optimizer::updates_taken() const {
  const Tensor steps = ops::cast(iterations_, DType::float32);
  const auto& n = options_.gradient_accumulation_steps;
  return n ? ops::floor(steps / static_cast<double>(*n)) : steps;
}

// A variable with its optimizer slots, without those of accumulation and averaging.
std::vector<Variable> Optimizer::rule_states(const Variable& variable) const {
  std::vector<Variable> states{variable};
  const auto* key = variable.state().get();
  for (auto at = slots_.lower_bound({key, ""}); at != slots_.end() && at->first.first == key; ++at)
    if (at->first.second != "average" && at->first.second != "gradient_accumulator")
      states.push_back(at->second);
  return states;
}

void Optimizer::accumulate(const GradientsAndVariables& pairs) {
  const auto n = static_cast<double>(*options_.gradient_accumulation_steps);
  // In float64, which is exact up to 2^53.
  const Tensor step = ops::cast(iterations_, DType::float64) + 1.0;
  const Tensor complete = ops::equal(step - ops::floor(step / n) * n, 0.0);
  GradientsAndVariables means;
  for (const auto& [gradient, variable] : pairs) {
    const Variable accumulator = slot(variable, "gradient_accumulator");
    const Tensor sum = gradient + accumulator;
    accumulator.assign(ops::where(complete, graph::scalar_like(sum, 0), sum));
    means.emplace_back(sum / n, variable);
  }
  update_all(std::move(means), complete);
}

}  // namespace stoker
