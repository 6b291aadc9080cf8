#include "graph/emit.h"
#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// Operations that gather or scatter by indices, or return indices.
namespace stoker::nn {

struct TakeArgs {
  std::optional<int64_t> axis = {};
};
template <class V>
void visit(TakeArgs& a, V& v) {
  v("axis", a.axis);
}

struct SideArgs {
  std::string side = "left";
};
template <class V>
void visit(SideArgs& a, V& v) {
  v("side", a.side);
}

struct ScatterArgs {
  Config shape = {};
};
template <class V>
void visit(ScatterArgs& a, V& v) {
  v("shape", a.shape, required);
}

struct SegmentArgs {
  std::optional<int64_t> num_segments = {};
  bool sorted = false;
};
template <class V>
void visit(SegmentArgs& a, V& v) {
  v("num_segments", a.num_segments);
  v("sorted", a.sorted);
}

namespace {

using Results = std::vector<Tensor>;

Tensor places_at(const OperationCall& call, size_t i) {
  return ops::cast(call.tensor(i), DType::int64);
}

Results take(const TakeArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  if (!a.axis) x = ops::reshape(x, {-1});
  const int axis = normalize_axis(a.axis.value_or(0), x.shape().rank());
  Tensor places = places_at(call, 1);
  const Tensor zero = Array::scalar(int64_t{0}), size = Array::scalar(x.shape()[axis]);
  places = ops::where(ops::less(places, zero), places + size, places);
  const Tensor rows = moved(x, axis, 0);
  const Tensor found = ops::gather(rows, ops::reshape(places, {-1}));
  // (indices, others …) → the indices' shape at the position of the axis.
  const Tensor back = moved(found, 0, axis);
  std::vector<int64_t> dims(x.shape().begin(), x.shape().begin() + axis);
  dims.insert(dims.end(), places.shape().begin(), places.shape().end());
  dims.insert(dims.end(), x.shape().begin() + axis + 1, x.shape().end());
  return {ops::reshape(back, Shape(std::move(dims)))};
}

Results take_along_axis(const TakeArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0), places = places_at(call, 1);
  if (!a.axis) return {ops::take_along_axis(ops::reshape(x, {-1}), ops::reshape(places, {-1}), 0)};
  return {ops::take_along_axis(x, places, *a.axis)};
}

// searchsorted: how many numbers of a sorted list precede each value.
Tensor count_before(const Tensor& list, const Tensor& values, bool with_equal) {
  const Tensor each = ops::expand_dims(values, -1);
  const Tensor before = with_equal ? ops::less_equal(list, each) : ops::less(list, each);
  return ops::sum(ops::cast(before, DType::int32), {.axis = {-1}});
}
Results search_sorted(const SideArgs& a, const OperationCall& call) {
  return {count_before(call.tensor(0), call.tensor(1), a.side == "right")};
}
Results digitize(const NoArgs&, const OperationCall& call) {
  return {count_before(call.tensor(1), call.tensor(0), true)};
}

Results segment_sum(const SegmentArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0), ids = call.tensor(1);
  if (!a.num_segments)
    throw Unsupported("segments without num_segments are not supported.",
                      "their number must be known before the step.");
  return {graph::emit1("scatter_add", {x, ids}, {{"rows", *a.num_segments}})};
}

// Adds the values at their indices to a tensor of zeros.
Results scatter(const ScatterArgs& a, const OperationCall& call) {
  const Tensor places = places_at(call, 0), values = call.tensor(1);
  const auto shape = integers(a.shape);
  const int64_t depth = places.shape().back();
  Tensor row = Array::scalar(int64_t{0});
  int64_t rows = 1;
  for (int64_t i = 0; i < depth; ++i) {
    const int64_t size = shape.at(static_cast<size_t>(i));
    const Tensor at = part(places, places.shape().rank() - 1, i, 1);
    row = row * Tensor(Array::scalar(size)) + ops::squeeze(at, at.shape().rank() - 1);
    rows *= size;
  }
  const Tensor sums = graph::emit1("scatter_add", {values, row}, {{"rows", rows}});
  return {ops::reshape(sums, Shape(shape))};
}

const RegisterOperation<ScatterArgs> scatters{"core", "Scatter", scatter};
const RegisterOperation<TakeArgs> takes{"numpy", "Take", take};
const RegisterOperation<TakeArgs> takes_along{"numpy", "TakeAlongAxis", take_along_axis};
const RegisterOperation<SideArgs> searches{"numpy", "SearchSorted", search_sorted};
const RegisterOperation<> digitizes{"numpy", "Digitize", digitize};
const RegisterOperation<SegmentArgs> segment_sums{"math", "SegmentSum", segment_sum};

}  // namespace
}  // namespace stoker::nn
