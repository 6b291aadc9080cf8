#include <cmath>

#include "nn/operations/axes.h"
#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// Reductions that are more than one op.
namespace stoker::nn {

struct OverAxes {
  Config axis = {};  // a number, several, or null for all
  bool keepdims = false;
};
template <class V>
void visit(OverAxes& a, V& v) {
  v("axis", a.axis);
  v("keepdims", a.keepdims);
}

struct ProdArgs : OverAxes {
  std::optional<DType> dtype = {};
};
template <class V>
void visit(ProdArgs& a, V& v) {
  visit(static_cast<OverAxes&>(a), v);
  v("dtype", a.dtype);
}

struct AxesAlone {
  Config axis = {};
};
template <class V>
void visit(AxesAlone& a, V& v) {
  v("axis", a.axis);
}

struct QuantileArgs : OverAxes {
  std::string method = "linear";
};
template <class V>
void visit(QuantileArgs& a, V& v) {
  v("axis", a.axis);
  v("method", a.method);
  v("keepdims", a.keepdims);
}

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

Results ptp(const OverAxes& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const auto args = over(x, a.axis, a.keepdims);
  return {ops::max(x, args) - ops::min(x, args)};
}

Results logsumexp(const OverAxes& a, const OperationCall& call) {
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
Results all(const OverAxes& a, const OperationCall& call) {
  const Tensor x = is_true(call.tensor(0));
  return {ops::cast(ops::min(x, over(x, a.axis, a.keepdims)), DType::boolean)};
}
Results any(const OverAxes& a, const OperationCall& call) {
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
Results nansum(const OverAxes& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::sum(without_nans(x, 0), over(x, a.axis, a.keepdims))};
}
Results nanmean(const OverAxes& a, const OperationCall& call) {
  const Tensor x = as_float(call.tensor(0));
  const auto args = over(x, a.axis, a.keepdims);
  const Tensor count = ops::sum(ops::cast(ops::equal(x, x), x.dtype()), args);
  return {ops::sum(without_nans(x, 0), args) / count};
}
Results nanmax(const OverAxes& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::max(without_nans(x, -HUGE_VAL), over(x, a.axis, a.keepdims))};
}
Results nanmin(const OverAxes& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {ops::min(without_nans(x, HUGE_VAL), over(x, a.axis, a.keepdims))};
}

// Between the two numbers of the sorted rows that lie around the place.
Tensor quantile_of(const Tensor& given, const OverAxes& a, double share,
                   const std::string& method) {
  const Tensor x = as_float(given);
  const auto axes = axes_of(a.axis, x.shape().rank());
  const Tensor rows = with_axes_last(x, axes);
  const int64_t n = rows.shape().back();
  const Tensor sorted = picked_from_rows(rows, places_in_order(ops::stop_gradient(rows)));
  const double at = share * static_cast<double>(n - 1);
  const auto low = static_cast<int64_t>(std::floor(at)), high = std::min(low + 1, n - 1);
  const double rest = at - static_cast<double>(low);
  const double weight = method == "lower"      ? 0
                        : method == "higher"   ? (rest > 0 ? 1 : 0)
                        : method == "midpoint" ? (rest > 0 ? 0.5 : 0)
                                               : rest;
  const int axis = rows.shape().rank() - 1;
  const Tensor value =
      part(sorted, axis, low, 1) * (1 - weight) + part(sorted, axis, high, 1) * weight;
  return ops::reshape(value, reduced_shape(x.shape(), axes, a.keepdims));
}
Results median(const OverAxes& a, const OperationCall& call) {
  return {quantile_of(call.tensor(0), a, 0.5, "linear")};
}
template <int whole>
Results quantile(const QuantileArgs& a, const OperationCall& call) {
  const Config& q = call.value(1);
  if (!q.is_number())
    throw Unsupported("several quantiles at once are not supported.", "ask for one after another.");
  if (a.method == "nearest") throw Unsupported("the method \"nearest\" is not supported.");
  return {quantile_of(call.tensor(0), a, q.as_double() / whole, a.method)};
}

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

}  // namespace

struct ArgExtremeArgs {
  std::optional<int64_t> axis = {};
  bool keepdims = false;
};
template <class V>
void visit(ArgExtremeArgs& a, V& v) {
  v("axis", a.axis);
  v("keepdims", a.keepdims);
}

namespace {

template <int sign>
Results arg_extreme(const ArgExtremeArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  const int rank = x.shape().rank();
  if (!is_floating(x.dtype())) x = ops::cast(x, DType::float64);
  if (sign < 0) x = -x;
  if (!a.axis) x = ops::reshape(x, {-1});
  const int axis = a.axis ? normalize_axis(*a.axis, rank) : 0;
  Tensor found = ops::cast(ops::argmax(x, axis), DType::int32);
  if (!a.keepdims) return {found};
  if (a.axis) return {ops::expand_dims(found, axis)};
  return {ops::reshape(found, Shape(std::vector<int64_t>(static_cast<size_t>(rank), 1)))};
}

const RegisterOperation<ProdArgs> prods{"numpy", "Prod", prod};
const RegisterOperation<OverAxes> ptps{"numpy", "Ptp", ptp};
const RegisterOperation<OverAxes> logsumexps{"math", "Logsumexp", logsumexp};
const RegisterOperation<OverAxes> alls{"numpy", "All", all};
const RegisterOperation<OverAxes> anys{"numpy", "Any", any};
const RegisterOperation<OverAxes> nansums{"numpy", "Nansum", nansum};
const RegisterOperation<OverAxes> nanmeans{"numpy", "Nanmean", nanmean};
const RegisterOperation<OverAxes> nanmaxs{"numpy", "Nanmax", nanmax};
const RegisterOperation<OverAxes> nanmins{"numpy", "Nanmin", nanmin};
const RegisterOperation<OverAxes> medians{"numpy", "Median", median};
const RegisterOperation<QuantileArgs> quantiles{"numpy", "Quantile", quantile<1>};
const RegisterOperation<QuantileArgs> percentiles{"numpy", "Percentile", quantile<100>};
const RegisterOperation<CumulativeArgs> cumsums{"numpy", "Cumsum", cumulative<false>};
const RegisterOperation<CumulativeArgs> cumprods{"numpy", "Cumprod", cumulative<true>};
const RegisterOperation<AxesAlone> counts{"numpy", "CountNonzero", count_nonzero};
const RegisterOperation<ArgExtremeArgs> argmax{"numpy", "Argmax", arg_extreme<1>};
const RegisterOperation<ArgExtremeArgs> argmin{"numpy", "Argmin", arg_extreme<-1>};

}  // namespace
}  // namespace stoker::nn
