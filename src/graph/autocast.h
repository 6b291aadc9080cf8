#pragma once
#include <optional>

#include "graph/emit.h"

namespace stoker::graph {

// Inside the scope, weights with autocast are read in its dtype; otherwise in their own.
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
