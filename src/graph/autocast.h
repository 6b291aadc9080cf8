#pragma once
#include <optional>

#include "graph/emit.h"

namespace stoker::graph {

// While one is open, weights that take part are read in its dtype; without one as they are kept.
class AutocastScope {
 public:
  explicit AutocastScope(std::optional<DType> dtype);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  std::optional<DType> before_;
};

Tensor autocast(const State& state, const Tensor& value);

}  // namespace stoker::graph
