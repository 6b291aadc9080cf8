#include <cmath>

#include "nn/operations/axes.h"
#include "nn/operations/operation.h"
#include "nn/operations/reduction_args.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// Reductions that are more than one op.
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

ops::ReduceArgs over(const Tensor& x, const Config& axis, bool keepdims) {
  return {.axis = axes_of(axis, x.shape().rank()), .keepdims = keepdims};
}

// Along the last axis, by halves until one number is left: exact for numbers of any sign.
Tensor product_of(Tensor x) {
  const int axis = x.shape().rank() - 1;
  while (x.shape()[axis] > 1) {
    const int64_t n = x.shape()[axis], half = n / 2;
    const Tensor joined = part(x, axis, 0, half) * part(x, axis, half, half);
    x = n % 2 == 0 ? joined : ops::concatenate({joined, part(x, axis, n - 1, 1)}, axis);
  }
  return ops::squeeze(x, axis);
}

Results prod(const ProdArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const auto axes = axes_of(a.axis, x.shape().rank());
  const Tensor product = product_of(with_axes_last(x, axes));
  const Shape shape = reduced_shape(x.shape(), axes, a.keepdims);
  return {ops::cast(ops::reshape(product, shape), a.dtype.value_or(x.dtype()))};
}

Results ptp(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const auto args = over(x, a.axis, a.keepdims);
  return {ops::max(x, args) - ops::min(x, args)};
}

Results logsumexp(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = as_float(call.tensor(0));
  const auto args = over(x, a.axis, a.keepdims);
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
  return {ops::cast(ops::min(x, over(x, a.axis, a.keepdims)), DType::boolean)};
}
Results any(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = is_true(call.tensor(0));
  return {ops::cast(ops::max(x, over(x, a.axis, a.keepdims)), DType::boolean)};
}
Results count_nonzero(const AxesAlone& a, const OperationCall& call) {
  const Tensor x = ops::cast(is_true(call.tensor(0)), DType::int32);
  return {ops::sum(x, over(x, a.axis, false))};
}

// What is no number counts as `instead`.
Tensor without_nans(const Tensor& x, double instead) {
  return ops::where(ops::not_equal(x, x), Array::scalar(instead).astype(x.dtype()), x);
}
Results nansum(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::sum(without_nans(x, 0), over(x, a.axis, a.keepdims))};
}
Results nanmean(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = as_float(call.tensor(0));
  const auto args = over(x, a.axis, a.keepdims);
  const Tensor count = ops::sum(ops::cast(ops::equal(x, x), x.dtype()), args);
  return {ops::sum(without_nans(x, 0), args) / count};
}
Results nanmax(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::max(without_nans(x, -HUGE_VAL), over(x, a.axis, a.keepdims))};
}
Results nanmin(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::min(without_nans(x, HUGE_VAL), over(x, a.axis, a.keepdims))};
}

const RegisterOperation<ProdArgs> prods{"numpy", "Prod", prod};
const RegisterOperation<ReductionArgs> ptps{"numpy", "Ptp", ptp};
const RegisterOperation<ReductionArgs> logsumexps{"math", "Logsumexp", logsumexp};
const RegisterOperation<ReductionArgs> alls{"numpy", "All", all};
const RegisterOperation<ReductionArgs> anys{"numpy", "Any", any};
const RegisterOperation<ReductionArgs> nansums{"numpy", "Nansum", nansum};
const RegisterOperation<ReductionArgs> nanmeans{"numpy", "Nanmean", nanmean};
const RegisterOperation<ReductionArgs> nanmaxs{"numpy", "Nanmax", nanmax};
const RegisterOperation<ReductionArgs> nanmins{"numpy", "Nanmin", nanmin};
const RegisterOperation<AxesAlone> counts{"numpy", "CountNonzero", count_nonzero};

}  // namespace
}  // namespace stoker::nn
