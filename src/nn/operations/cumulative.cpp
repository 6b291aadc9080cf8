#include "nn/operations/cumulative.h"

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "nn/operations/reductions.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

struct CumulativeArgs {
  std::optional<int64_t> axis = {};
  std::optional<DType> dtype = {};
};
template <class V>
void visit(CumulativeArgs& a, V& v) {
  v("axis", a.axis);
  v("dtype", a.dtype);
}

namespace {

// A parallel prefix scan: the range covered doubles in each round.
template <class F>
Tensor running(Tensor x, int axis, F join) {
  const int64_t n = x.shape()[axis];
  for (int64_t reach = 1; reach < n; reach *= 2) {
    const Tensor first = part(x, axis, 0, reach), early = part(x, axis, 0, n - reach),
                 late = part(x, axis, reach, n - reach);
    x = ops::concatenate({first, join(early, late)}, axis);
  }
  return x;
}

template <auto run>
Tensor cumulated(const CumulativeArgs& a, Tensor x) {
  if (a.dtype) x = ops::cast(x, *a.dtype);
  if (!a.axis) x = ops::reshape(x, {-1});
  return run(x, normalize_axis(a.axis.value_or(0), x.shape().rank()));
}
template <auto run>
std::vector<Tensor> cumulative(const CumulativeArgs& a, const OperationCall& call) {
  return {cumulated<run>(a, call.tensor(0))};
}
std::vector<Tensor> nancumsum(const CumulativeArgs& a, const OperationCall& call) {
  return {cumulated<running_sum>(a, without_nans(call.tensor(0), 0))};
}
std::vector<Tensor> nancumprod(const CumulativeArgs& a, const OperationCall& call) {
  return {cumulated<running_product>(a, without_nans(call.tensor(0), 1))};
}

const RegisterOperation<CumulativeArgs> cumsums{"numpy", "Cumsum", cumulative<running_sum>};
const RegisterOperation<CumulativeArgs> cumprods{"numpy", "Cumprod", cumulative<running_product>};
const RegisterOperation<CumulativeArgs> nancumsums{"numpy", "Nancumsum", nancumsum};
const RegisterOperation<CumulativeArgs> nancumprods{"numpy", "Nancumprod", nancumprod};

}  // namespace

Tensor running_sum(const Tensor& x, int axis) {
  return running(x, axis, [](const Tensor& a, const Tensor& b) { return a + b; });
}
Tensor running_product(const Tensor& x, int axis) {
  return running(x, axis, [](const Tensor& a, const Tensor& b) { return a * b; });
}

}  // namespace stoker::nn
