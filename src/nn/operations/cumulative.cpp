#include "nn/operations/cumulative.h"

#include "nn/operations/axes.h"
#include "nn/operations/operation.h"
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

// Results double their reach in each round.
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
std::vector<Tensor> cumulative(const CumulativeArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  if (a.dtype) x = ops::cast(x, *a.dtype);
  if (!a.axis) x = ops::reshape(x, {-1});
  return {run(x, normalize_axis(a.axis.value_or(0), x.shape().rank()))};
}

const RegisterOperation<CumulativeArgs> cumsums{"numpy", "Cumsum", cumulative<running_sum>};
const RegisterOperation<CumulativeArgs> cumprods{"numpy", "Cumprod", cumulative<running_product>};

}  // namespace

Tensor running_sum(const Tensor& x, int axis) {
  return running(x, axis, [](const Tensor& a, const Tensor& b) { return a + b; });
}
Tensor running_product(const Tensor& x, int axis) {
  return running(x, axis, [](const Tensor& a, const Tensor& b) { return a * b; });
}

}  // namespace stoker::nn
