#pragma once
#include "nn/at_least_float32.h"
#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"

// Turns an elementwise function of tensors into an operation: `of_float<ops::exp>`.
namespace stoker::nn {

using Binary = Tensor (*)(const Tensor&, const Tensor&);

template <auto function>
std::vector<Tensor> of_float(const NoArgs&, const OperationCall& call) {
  return {function(as_float(call.tensor(0)))};
}
// For functions made of several ops: computed in float32, so that float16 and bfloat16 are rounded
// once, at the end, as by a single op.
template <auto function>
std::vector<Tensor> of_wide(const NoArgs&, const OperationCall& call) {
  const Tensor x = as_float(call.tensor(0));
  return {ops::cast(function(at_least_float32(x)), x.dtype())};
}
template <Binary function>
std::vector<Tensor> of_wide_two(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  const Tensor made = function(at_least_float32(a), at_least_float32(b));
  return {ops::cast(made, as_float(a).dtype())};
}
// For functions that return integers for integers.
template <auto function>
std::vector<Tensor> of_any(const NoArgs&, const OperationCall& call) {
  return {function(call.tensor(0))};
}
template <Binary function>
std::vector<Tensor> of_floats(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  return {function(as_float(a), as_float(b))};
}
template <Binary function>
std::vector<Tensor> of_two(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  return {function(a, b)};
}

}  // namespace stoker::nn
