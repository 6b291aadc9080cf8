#include <cmath>

#include "nn/operations/axes.h"
#include "nn/operations/operation.h"
#include "nn/operations/reduction_args.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/sort.h"

// What depends on which numbers are larger than others.
namespace stoker::nn {

struct SortArgs {
  std::optional<int64_t> axis = -1;  // null: all elements as one row
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

template <auto in_order>
Results sorted(const SortArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  return {a.axis ? in_order(x, *a.axis) : in_order(ops::reshape(x, {-1}), 0)};
}

Results top_k(const TopKArgs& a, const OperationCall& call) {
  const auto [values, indices] = ops::top_k(call.tensor(0), a.k);
  return {values, indices};
}

Results in_top_k(const InTopKArgs& a, const OperationCall& call) {
  return {ops::in_top_k(call.tensor(0), call.tensor(1), a.k)};
}

// How much of the way from the number below a place to the one above.
double share_of_upper(double rest, const std::string& method) {
  if (method == "lower") return 0;
  if (method == "higher") return rest > 0 ? 1 : 0;
  if (method == "midpoint") return rest > 0 ? 0.5 : 0;
  return rest;
}

// One that does not count may be infinite.
Tensor between(const Tensor& low, const Tensor& high, double share) {
  if (share == 0) return low;
  return share == 1 ? high : low * (1 - share) + high * share;
}

// Between the two numbers of the sorted rows that lie around the place; where something is no
// number, it lies last and is the result.
Tensor quantile_of(const Tensor& given, const ReductionArgs& a, double share,
                   const std::string& method) {
  const Tensor x = as_float(given);
  const auto axes = axes_of(a.axis, x.shape().rank());
  const Tensor rows = ops::sort(with_axes_last(x, axes));
  const int axis = rows.shape().rank() - 1;
  const int64_t n = rows.shape()[axis];
  const double at = share * static_cast<double>(n - 1);
  const auto low = static_cast<int64_t>(std::floor(at)), high = std::min(low + 1, n - 1);
  const double upper = share_of_upper(at - static_cast<double>(low), method);
  const Tensor value = between(part(rows, axis, low, 1), part(rows, axis, high, 1), upper);
  const Tensor last = part(rows, axis, n - 1, 1);
  return ops::reshape(ops::where(ops::not_equal(last, last), last, value),
                      reduced_shape(x.shape(), axes, a.keepdims));
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

const RegisterOperation<SortArgs> sorts{"numpy", "Sort", sorted<ops::sort>};
const RegisterOperation<SortArgs> argsorts{"numpy", "Argsort", sorted<ops::argsort>};
const RegisterOperation<TopKArgs> top_ks{"math", "TopK", top_k};
const RegisterOperation<InTopKArgs> in_top_ks{"math", "InTopK", in_top_k};
const RegisterOperation<ReductionArgs> medians{"numpy", "Median", median};
const RegisterOperation<QuantileArgs> quantiles{"numpy", "Quantile", quantile<1>};
const RegisterOperation<QuantileArgs> percentiles{"numpy", "Percentile", quantile<100>};
const RegisterOperation<ArgExtremeArgs> argmax{"numpy", "Argmax", arg_extreme<1>};
const RegisterOperation<ArgExtremeArgs> argmin{"numpy", "Argmin", arg_extreme<-1>};

}  // namespace
}  // namespace stoker::nn
