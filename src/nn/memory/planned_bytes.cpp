#include "nn/model_impl.h"

namespace stoker {

int64_t Model::planned_bytes() const {
  auto bytes = static_cast<int64_t>(impl_->steps.arena->bytes());
  const auto add = [&](const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) bytes += variable.type().bytes();
  };
  add(weights());
  if (compiled()) add(optimizer().variables());
  for (const auto& metric : impl_->traced.metrics) add(metric->variables());
  return bytes;
}

}  // namespace stoker
