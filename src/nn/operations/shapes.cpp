#include <numeric>

#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

struct OneAxis {
  int64_t axis = 0;
};
template <class V>
void visit(OneAxis& a, V& v) {
  v("axis", a.axis);
}

struct SomeAxes {
  Config axis = {};  // a number, a list, or null for all axes of size 1
};
template <class V>
void visit(SomeAxes& a, V& v) {
  v("axis", a.axis);
}

struct NewShape {
  std::vector<int64_t> newshape;  // -1 is kept
};
template <class V>
void visit(NewShape& a, V& v) {
  v("newshape", a.newshape, required);
}

struct AxisOrder {
  std::optional<std::vector<int64_t>> axes = {};
};
template <class V>
void visit(AxisOrder& a, V& v) {
  v("axes", a.axes);
}

struct TwoAxes {
  int64_t axis1 = 0, axis2 = 0;
};
template <class V>
void visit(TwoAxes& a, V& v) {
  v("axis1", a.axis1, required);
  v("axis2", a.axis2, required);
}

struct SplitArgs {
  Config indices_or_sections = {};
  int64_t axis = 0;
};
template <class V>
void visit(SplitArgs& a, V& v) {
  v("indices_or_sections", a.indices_or_sections, required);
  v("axis", a.axis);
}

namespace {

using Results = std::vector<Tensor>;

Results expand_dims(const SomeAxes& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  if (a.axis.is_int()) return {ops::expand_dims(x, a.axis.as_int())};
  for (const Config& axis : a.axis.as_list()) x = ops::expand_dims(x, axis.as_int());
  return {x};
}

Results squeeze(const SomeAxes& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  std::vector<bool> drop(static_cast<size_t>(x.shape().rank()), false);
  const auto mark = [&](int64_t axis) {
    drop[static_cast<size_t>(normalize_axis(axis, x.shape().rank()))] = true;
  };
  if (a.axis.is_int()) mark(a.axis.as_int());
  if (a.axis.is_list())
    for (const Config& axis : a.axis.as_list()) mark(axis.as_int());
  std::vector<int64_t> dims;
  for (int i = 0; i < x.shape().rank(); ++i) {
    const bool dropped = a.axis.is_null() ? x.shape()[i] == 1 : drop[static_cast<size_t>(i)];
    if (dropped && x.shape()[i] != 1)
      throw InvalidArgument(
          fmt::format("axis {} of {} is not of length 1.", i, to_string(x.shape())));
    if (!dropped) dims.push_back(x.shape()[i]);
  }
  return {ops::reshape(x, Shape(std::move(dims)))};
}

Results transpose(const AxisOrder& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  if (a.axes) return {ops::transpose(x, *a.axes)};
  std::vector<int64_t> order(static_cast<size_t>(x.shape().rank()));
  std::iota(order.rbegin(), order.rend(), 0);
  return {ops::transpose(x, order)};
}

Results swap_axes(const TwoAxes& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  std::vector<int64_t> order(static_cast<size_t>(x.shape().rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(normalize_axis(a.axis1, x.shape().rank()))],
            order[static_cast<size_t>(normalize_axis(a.axis2, x.shape().rank()))]);
  return {ops::transpose(x, order)};
}

Results stack(const OneAxis& a, const OperationCall& call) {
  Results rows;
  for (const Tensor& x : call.tensors(0))
    rows.push_back(ops::expand_dims(x, normalize_axis(a.axis, x.shape().rank() + 1)));
  return {ops::concatenate(rows, normalize_axis(a.axis, rows.at(0).shape().rank()))};
}

// The start indices of the pieces, then the end.
std::vector<int64_t> bounds(const Config& sections, int64_t size) {
  std::vector<int64_t> found{0};
  if (sections.is_list()) {
    for (const Config& at : sections.as_list()) found.push_back(at.as_int());
    found.push_back(size);
    return found;
  }
  const int64_t count = sections.as_int();
  if (count <= 0 || size % count != 0)
    throw InvalidArgument(fmt::format("{} cannot be split into {} equal parts.", size, count));
  for (int64_t i = 1; i <= count; ++i) found.push_back(size / count * i);
  return found;
}

Results split(const SplitArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const int axis = normalize_axis(a.axis, x.shape().rank());
  const auto at = bounds(a.indices_or_sections, x.shape()[axis]);
  Results pieces;
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    std::vector<int64_t> start(static_cast<size_t>(x.shape().rank()), 0), size = x.shape().dims();
    start[static_cast<size_t>(axis)] = at[i];
    size[static_cast<size_t>(axis)] = at[i + 1] - at[i];
    pieces.push_back(ops::slice(x, start, size));
  }
  return pieces;
}

const RegisterOperation<SomeAxes> expand{"numpy", "ExpandDims", expand_dims};
const RegisterOperation<SomeAxes> squeezed{"numpy", "Squeeze", squeeze};
const RegisterOperation<AxisOrder> transposed{"numpy", "Transpose", transpose};
const RegisterOperation<TwoAxes> swapped{"numpy", "Swapaxes", swap_axes};
const RegisterOperation<OneAxis> stacked{"numpy", "Stack", stack};
const RegisterOperation<SplitArgs> pieces{"numpy", "Split", split};
const RegisterOperation<NewShape> reshaped{
    "numpy", "Reshape", [](const NewShape& a, const OperationCall& call) -> Results {
      return {ops::reshape(call.tensor(0), Shape(a.newshape))};
    }};
const RegisterOperation<OneAxis> concatenated{
    "numpy", "Concatenate", [](const OneAxis& a, const OperationCall& call) -> Results {
      return {ops::concatenate(call.tensors(0), a.axis)};
    }};
}  // namespace
}  // namespace stoker::nn
