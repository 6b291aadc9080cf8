#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "nn/operations/reductions.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// Reductions composed of several ops.
namespace stoker::nn {

struct ProdArgs : ReductionArgs {
  std::optional<DType> dtype = {};
};
template <class V>
void visit(ProdArgs& a, V& v) {
  visit(static_cast<ReductionArgs&>(a), v);
  v("dtype", a.dtype);
}

struct AxesAlone {
  Config axis = {};
};
template <class V>
void visit(AxesAlone& a, V& v) {
  v("axis", a.axis);
}

namespace {

using Results = std::vector<Tensor>;

Results prod(const ProdArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::cast(product_over(x, a), a.dtype.value_or(x.dtype()))};
}

Results ptp(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const auto args = over(x, a);
  return {ops::max(x, args) - ops::min(x, args)};
}

Results logsumexp(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = as_float(call.tensor(0));
  const auto args = over(x, a);
  const Tensor top = ops::stop_gradient(ops::max(x, {.axis = args.axis, .keepdims = true}));
  const Tensor sum = ops::log(ops::sum(ops::exp(x - top), args));
  return {sum + ops::reshape(top, sum.shape())};
}

Tensor is_true(const Tensor& x) {
  if (x.dtype() == DType::boolean) return ops::cast(x, DType::float32);
  const Tensor zero = Array::scalar(0.0).astype(x.dtype());
  return ops::cast(ops::not_equal(x, zero), DType::float32);
}
Results all(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = is_true(call.tensor(0));
  return {ops::cast(ops::min(x, over(x, a)), DType::boolean)};
}
Results any(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = is_true(call.tensor(0));
  return {ops::cast(ops::max(x, over(x, a)), DType::boolean)};
}
Results count_nonzero(const AxesAlone& a, const OperationCall& call) {
  const Tensor x = ops::cast(is_true(call.tensor(0)), DType::int32);
  return {ops::sum(x, over(x, {a.axis, false}))};
}

const RegisterOperation<ProdArgs> prods{"numpy", "Prod", prod};
const RegisterOperation<ReductionArgs> ptps{"numpy", "Ptp", ptp};
const RegisterOperation<ReductionArgs> logsumexps{"math", "Logsumexp", logsumexp};
const RegisterOperation<ReductionArgs> alls{"numpy", "All", all};
const RegisterOperation<ReductionArgs> anys{"numpy", "Any", any};
const RegisterOperation<AxesAlone> counts{"numpy", "CountNonzero", count_nonzero};

}  // namespace
}  // namespace stoker::nn
