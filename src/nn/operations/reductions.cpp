#include "nn/operations/operation.h"
#include "nn/operations/reduction_args.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::nn {

struct ExtremeArgs : ReductionArgs {};
template <class V>
void visit(ExtremeArgs& a, V& v) {
  visit(static_cast<ReductionArgs&>(a), v);
  v.fixed("initial", Config());
}

namespace {

using Results = std::vector<Tensor>;

ops::ReduceArgs reduce_args(const ReductionArgs& a) {
  ops::ReduceArgs args{.keepdims = a.keepdims};
  if (a.axis.is_list())
    for (const Config& axis : a.axis.as_list()) args.axis.push_back(axis.as_int());
  else if (!a.axis.is_null())
    args.axis = {a.axis.as_int()};
  return args;
}

Tensor variance(const Tensor& x, ops::ReduceArgs args) {
  const Tensor mean = ops::mean(x, {.axis = args.axis, .keepdims = true});
  return ops::mean(ops::square(x - mean), args);
}
Tensor deviation(const Tensor& x, const ops::ReduceArgs& args) {
  return ops::sqrt(variance(x, args));
}

template <auto reduce, class Args = ReductionArgs>
Results reduced(const Args& a, const OperationCall& call) {
  return {reduce(call.tensor(0), reduce_args(a))};
}

const RegisterOperation<ReductionArgs> mean{"numpy", "Mean", reduced<ops::mean>};
const RegisterOperation<ReductionArgs> amax{"numpy", "Amax", reduced<ops::max>};
const RegisterOperation<ReductionArgs> amin{"numpy", "Amin", reduced<ops::min>};
const RegisterOperation<ReductionArgs> sum{"numpy", "Sum", reduced<ops::sum>};
const RegisterOperation<ReductionArgs> var{"numpy", "Var", reduced<variance>};
const RegisterOperation<ReductionArgs> std_{"numpy", "Std", reduced<deviation>};
const RegisterOperation<ExtremeArgs> max{"numpy", "Max", reduced<ops::max, ExtremeArgs>};
const RegisterOperation<ExtremeArgs> min{"numpy", "Min", reduced<ops::min, ExtremeArgs>};
}  // namespace
}  // namespace stoker::nn
