#include <cmath>

#include "nn/operations/axes.h"
#include "nn/operations/operation.h"
#include "nn/operations/reduction_args.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// What depends on which numbers are larger than others.
namespace stoker::nn {

struct SortArgs {
  int64_t axis = -1;
};
template <class V>
void visit(SortArgs& a, V& v) {
  v("axis", a.axis);
}

struct TopKArgs {
  int64_t k = 0;
  bool sorted = true;
};
template <class V>
void visit(TopKArgs& a, V& v) {
  v("k", a.k, required);
  v("sorted", a.sorted);
}

struct InTopKArgs {
  int64_t k = 0;
};
template <class V>
void visit(InTopKArgs& a, V& v) {
  v("k", a.k, required);
}

struct QuantileArgs : ReductionArgs {
  std::string method = "linear";
};
template <class V>
void visit(QuantileArgs& a, V& v) {
  v("axis", a.axis);
  v("method", a.method);
  v("keepdims", a.keepdims);
}

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

using Results = std::vector<Tensor>;

Results sort(const SortArgs& a, const OperationCall& call) {
  const Tensor x = moved(call.tensor(0), a.axis, -1);
  return {moved(picked_from_rows(x, places_in_order(ops::stop_gradient(x))), -1, a.axis)};
}
Results argsort(const SortArgs& a, const OperationCall& call) {
  return {moved(places_in_order(moved(call.tensor(0), a.axis, -1)), -1, a.axis)};
}

Results top_k(const TopKArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  if (a.k < 1 || a.k > x.shape().back())
    throw InvalidArgument(fmt::format("there are no {} largest of {}.", a.k, x.shape().back()));
  const Tensor order = places_in_order(-ops::stop_gradient(x));
  const Tensor best = part(order, x.shape().rank() - 1, 0, a.k);
  return {picked_from_rows(x, best), best};
}

Results in_top_k(const InTopKArgs& a, const OperationCall& call) {
  return {ops::in_top_k(call.tensor(0), call.tensor(1), a.k)};
}

// Between the two numbers of the sorted rows that lie around the place.
Tensor quantile_of(const Tensor& given, const ReductionArgs& a, double share,
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
Results median(const ReductionArgs& a, const OperationCall& call) {
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

const RegisterOperation<SortArgs> sorts{"numpy", "Sort", sort};
const RegisterOperation<SortArgs> argsorts{"numpy", "Argsort", argsort};
const RegisterOperation<TopKArgs> top_ks{"math", "TopK", top_k};
const RegisterOperation<InTopKArgs> in_top_ks{"math", "InTopK", in_top_k};
const RegisterOperation<ReductionArgs> medians{"numpy", "Median", median};
const RegisterOperation<QuantileArgs> quantiles{"numpy", "Quantile", quantile<1>};
const RegisterOperation<QuantileArgs> percentiles{"numpy", "Percentile", quantile<100>};
const RegisterOperation<ArgExtremeArgs> argmax{"numpy", "Argmax", arg_extreme<1>};
const RegisterOperation<ArgExtremeArgs> argmin{"numpy", "Argmin", arg_extreme<-1>};

}  // namespace
}  // namespace stoker::nn
