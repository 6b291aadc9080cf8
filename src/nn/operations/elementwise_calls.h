#pragma once
#include "nn/operations/axes.h"
#include "nn/operations/operation.h"

// How an elementwise function of tensors becomes an operation: `of_float<ops::exp>`.
namespace stoker::nn {

using Binary = Tensor (*)(const Tensor&, const Tensor&);

template <auto function>
std::vector<Tensor> of_float(const NoArgs&, const OperationCall& call) {
  return {function(as_float(call.tensor(0)))};
}
// Of functions that integers stay integers in.
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
