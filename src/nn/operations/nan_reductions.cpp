#include <cmath>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "nn/operations/reductions.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Reductions that ignore NaN.
namespace stoker::nn {
namespace {

using Results = std::vector<Tensor>;

Results nansum(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::sum(without_nans(x, 0), over(x, a))};
}
Results nanprod(const ReductionArgs& a, const OperationCall& call) {
  return {product_over(without_nans(call.tensor(0), 1), a)};
}
Results nanmax(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::max(without_nans(x, -HUGE_VAL), over(x, a))};
}
Results nanmin(const ReductionArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::min(without_nans(x, HUGE_VAL), over(x, a))};
}

Tensor is_number(const Tensor& x) { return ops::equal(x, x); }
Tensor count_over(const Tensor& x, const ReductionArgs& a) {
  return ops::sum(ops::cast(is_number(x), x.dtype()), over(x, a));
}
Tensor mean_over(const Tensor& x, const ReductionArgs& a) {
  return ops::sum(without_nans(x, 0), over(x, a)) / count_over(x, a);
}
Tensor variance_over(const Tensor& x, const ReductionArgs& a) {
  const Tensor mean = mean_over(x, {a.axis, true});
  const Tensor centered = ops::where(is_number(x), without_nans(x, 0) - mean, ops::zeros_like(x));
  return ops::sum(ops::square(centered), over(x, a)) / count_over(x, a);
}
Results nanmean(const ReductionArgs& a, const OperationCall& call) {
  return {mean_over(as_float(call.tensor(0)), a)};
}
Results nanvar(const ReductionArgs& a, const OperationCall& call) {
  return {variance_over(as_float(call.tensor(0)), a)};
}
Results nanstd(const ReductionArgs& a, const OperationCall& call) {
  return {ops::sqrt(variance_over(as_float(call.tensor(0)), a))};
}

const RegisterOperation<ReductionArgs> sums{"numpy", "Nansum", nansum};
const RegisterOperation<ReductionArgs> products{"numpy", "Nanprod", nanprod};
const RegisterOperation<ReductionArgs> maxima{"numpy", "Nanmax", nanmax};
const RegisterOperation<ReductionArgs> minima{"numpy", "Nanmin", nanmin};
const RegisterOperation<ReductionArgs> means{"numpy", "Nanmean", nanmean};
const RegisterOperation<ReductionArgs> variances{"numpy", "Nanvar", nanvar};
const RegisterOperation<ReductionArgs> deviations{"numpy", "Nanstd", nanstd};

}  // namespace
}  // namespace stoker::nn
