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

using Results = std::vector<Tensor>;

// Sums that double their reach in each round.
template <bool multiplies>
Results cumulative(const CumulativeArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  if (a.dtype) x = ops::cast(x, *a.dtype);
  if (!a.axis) x = ops::reshape(x, {-1});
  const int axis = normalize_axis(a.axis.value_or(0), x.shape().rank());
  const int64_t n = x.shape()[axis];
  for (int64_t reach = 1; reach < n; reach *= 2) {
    const Tensor first = part(x, axis, 0, reach), early = part(x, axis, 0, n - reach),
                 late = part(x, axis, reach, n - reach);
    x = ops::concatenate({first, multiplies ? early * late : early + late}, axis);
  }
  return {x};
}

const RegisterOperation<CumulativeArgs> cumsums{"numpy", "Cumsum", cumulative<false>};
const RegisterOperation<CumulativeArgs> cumprods{"numpy", "Cumprod", cumulative<true>};

}  // namespace
}  // namespace stoker::nn
