#include "nn/operations/reductions.h"

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

struct ExtremeArgs : ReductionArgs {
  std::optional<double> initial = {};
};
template <class V>
void visit(ExtremeArgs& a, V& v) {
  visit(static_cast<ReductionArgs&>(a), v);
  v("initial", a.initial);
}

namespace {

using Results = std::vector<Tensor>;

// A product along the last axis by pairwise halving; correct for numbers of any sign.
Tensor product_of(Tensor x) {
  const int axis = x.shape().rank() - 1;
  while (x.shape()[axis] > 1) {
    const int64_t n = x.shape()[axis], half = n / 2;
    const Tensor joined = part(x, axis, 0, half) * part(x, axis, half, half);
    x = n % 2 == 0 ? joined : ops::concatenate({joined, part(x, axis, n - 1, 1)}, axis);
  }
  return ops::squeeze(x, axis);
}

Tensor variance(const Tensor& x, ops::ReduceArgs args) {
  const Tensor mean = ops::mean(x, {.axis = args.axis, .keepdims = true});
  return ops::mean(ops::square(x - mean), args);
}
Tensor deviation(const Tensor& x, const ops::ReduceArgs& args) {
  return ops::sqrt(variance(x, args));
}

template <auto reduce>
Results reduced(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {reduce(x, over(x, a))};
}

using Binary = Tensor (*)(const Tensor&, const Tensor&);

// `initial` is one more value to compare with.
template <auto reduce, Binary join>
Results extreme(const ExtremeArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0), found = reduce(x, over(x, a));
  return {a.initial ? join(found, number(x, *a.initial)) : found};
}

const RegisterOperation<ReductionArgs> mean{"numpy", "Mean", reduced<ops::mean>};
const RegisterOperation<ReductionArgs> amax{"numpy", "Amax", reduced<ops::max>};
const RegisterOperation<ReductionArgs> amin{"numpy", "Amin", reduced<ops::min>};
const RegisterOperation<ReductionArgs> sum{"numpy", "Sum", reduced<ops::sum>};
const RegisterOperation<ReductionArgs> var{"numpy", "Var", reduced<variance>};
const RegisterOperation<ReductionArgs> std_{"numpy", "Std", reduced<deviation>};
const RegisterOperation<ExtremeArgs> max{"numpy", "Max", extreme<ops::max, ops::maximum>};
const RegisterOperation<ExtremeArgs> min{"numpy", "Min", extreme<ops::min, ops::minimum>};

}  // namespace

ops::ReduceArgs over(const Tensor& x, const ReductionArgs& args) {
  return {.axis = axes_of(args.axis, x.shape().rank()), .keepdims = args.keepdims};
}

Tensor product_over(const Tensor& x, const ReductionArgs& args) {
  const auto axes = axes_of(args.axis, x.shape().rank());
  return ops::reshape(product_of(with_axes_last(x, axes)),
                      reduced_shape(x.shape(), axes, args.keepdims));
}

Tensor without_nans(const Tensor& x, double instead) {
  return is_floating(x.dtype()) ? ops::where(ops::equal(x, x), x, number(x, instead)) : x;
}

}  // namespace stoker::nn
