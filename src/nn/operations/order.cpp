#include <cmath>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "nn/operations/reductions.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/sort.h"

// Operations that compare or sort elements.
namespace stoker::nn {

struct SortArgs {
  std::optional<int64_t> axis = -1;  // null: flattened
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

Tensor largest_at(Tensor x, const ArgExtremeArgs& a) {
  const int rank = x.shape().rank();
  if (!a.axis) x = ops::reshape(x, {-1});
  const int axis = a.axis ? normalize_axis(*a.axis, rank) : 0;
  const Tensor found = ops::cast(ops::argmax(x, axis), DType::int32);
  if (!a.keepdims) return found;
  if (a.axis) return ops::expand_dims(found, axis);
  return ops::reshape(found, Shape(std::vector<int64_t>(static_cast<size_t>(rank), 1)));
}
template <int sign>
Tensor signed_floats(const Tensor& given) {
  const Tensor x = is_floating(given.dtype()) ? given : ops::cast(given, DType::float64);
  return sign < 0 ? -x : x;
}
template <int sign>
Results arg_extreme(const ArgExtremeArgs& a, const OperationCall& call) {
  return {largest_at(signed_floats<sign>(call.tensor(0)), a)};
}
// -1 if all are NaN.
template <int sign>
Results nan_arg_extreme(const ArgExtremeArgs& a, const OperationCall& call) {
  const Tensor x = signed_floats<sign>(call.tensor(0));
  const Tensor found = largest_at(without_nans(x, -HUGE_VAL), a);
  const Tensor numbers = ops::cast(ops::equal(x, x), DType::float32);
  const Tensor any = ops::max(numbers, over(x, {a.axis ? Config(*a.axis) : Config(), a.keepdims}));
  return {ops::where(ops::greater(any, 0.0), found, number(found, -1))};
}

const RegisterOperation<SortArgs> sorts{"numpy", "Sort", sorted<ops::sort>};
const RegisterOperation<SortArgs> argsorts{"numpy", "Argsort", sorted<ops::argsort>};
const RegisterOperation<TopKArgs> top_ks{"math", "TopK", top_k};
const RegisterOperation<InTopKArgs> in_top_ks{"math", "InTopK", in_top_k};
const RegisterOperation<ArgExtremeArgs> argmax{"numpy", "Argmax", arg_extreme<1>};
const RegisterOperation<ArgExtremeArgs> argmin{"numpy", "Argmin", arg_extreme<-1>};
const RegisterOperation<ArgExtremeArgs> nanargmax{"numpy", "Nanargmax", nan_arg_extreme<1>};
const RegisterOperation<ArgExtremeArgs> nanargmin{"numpy", "Nanargmin", nan_arg_extreme<-1>};

}  // namespace
}  // namespace stoker::nn
