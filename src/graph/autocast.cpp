#include "graph/autocast.h"

namespace stoker::graph {
namespace {
thread_local std::optional<DType> wanted;
}

AutocastScope::AutocastScope(std::optional<DType> dtype) : before_(wanted) { wanted = dtype; }
AutocastScope::~AutocastScope() { wanted = before_; }

Tensor autocast(const State& state, const Tensor& value) {
  if (!state.autocast || !wanted || *wanted == value.dtype()) return value;
  return emit1("cast", {value}, {{"dtype", static_cast<int64_t>(*wanted)}});
}

}  // namespace stoker::graph
