#include <algorithm>
#include <numeric>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/shape_ops.h"

// Operations that move elements: roll, flip, rotate, swap axes.
namespace stoker::nn {

struct ShapeArgs {
  Config shape = {};
};
template <class V>
void visit(ShapeArgs& a, V& v) {
  v("shape", a.shape, required);
}

struct FlipArgs {
  Config axis = {};
};
template <class V>
void visit(FlipArgs& a, V& v) {
  v("axis", a.axis);
}

struct RollArgs {
  Config shift = {}, axis = {};
};
template <class V>
void visit(RollArgs& a, V& v) {
  v("shift", a.shift, required);
  v("axis", a.axis);
}

struct MoveAxisArgs {
  Config source = {}, destination = {};
};
template <class V>
void visit(MoveAxisArgs& a, V& v) {
  v("source", a.source, required);
  v("destination", a.destination, required);
}

struct Rot90Args {
  int64_t k = 1;
  std::vector<int64_t> axes{0, 1};
};
template <class V>
void visit(Rot90Args& a, V& v) {
  v("k", a.k);
  v("axes", a.axes);
}

namespace {

using Results = std::vector<Tensor>;

Tensor flipped(const Tensor& x, int axis) {
  std::vector<int64_t> places(static_cast<size_t>(x.shape()[axis]));
  std::iota(places.rbegin(), places.rend(), 0);
  return picked(x, axis, places);
}

Results flip(const FlipArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  for (int64_t axis : axes_of(a.axis, x.shape().rank())) x = flipped(x, static_cast<int>(axis));
  return {x};
}

template <int64_t axis>
Results flip_one(const NoArgs&, const OperationCall& call) {
  return {flipped(call.tensor(0), axis)};
}

Tensor rolled(const Tensor& x, int axis, int64_t shift) {
  const int64_t n = x.shape()[axis], by = ((shift % n) + n) % n;
  if (by == 0) return x;
  return ops::concatenate({part(x, axis, n - by, by), part(x, axis, 0, n - by)}, axis);
}

Results roll(const RollArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  std::vector<int64_t> shifts = integers(a.shift);
  if (a.axis.is_null())
    return {ops::reshape(rolled(ops::reshape(x, {-1}), 0, shifts.at(0)), x.shape())};
  const auto axes = axes_of(a.axis, x.shape().rank());
  if (shifts.size() == 1) shifts.resize(axes.size(), shifts[0]);
  for (size_t i = 0; i < axes.size(); ++i) x = rolled(x, static_cast<int>(axes[i]), shifts.at(i));
  return {x};
}

Results move_axis(const MoveAxisArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const int rank = x.shape().rank();
  const auto from = axes_of(a.source, rank), to = axes_of(a.destination, rank);
  if (from.size() != to.size())
    throw InvalidArgument(
        fmt::format("{} axes cannot be moved to {} positions.", from.size(), to.size()));
  std::vector<int64_t> order(static_cast<size_t>(rank), -1), rest;
  for (int i = 0; i < rank; ++i)
    if (std::ranges::find(from, i) == from.end()) rest.push_back(i);
  for (size_t i = 0; i < from.size(); ++i) order[static_cast<size_t>(to[i])] = from[i];
  auto next = rest.begin();
  for (int64_t& axis : order)
    if (axis < 0) axis = *next++;
  return {ops::transpose(x, order)};
}

Results rot90(const Rot90Args& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  const int rank = x.shape().rank(), first = normalize_axis(a.axes.at(0), rank),
            second = normalize_axis(a.axes.at(1), rank);
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(first)], order[static_cast<size_t>(second)]);
  for (int64_t turn = 0; turn < ((a.k % 4) + 4) % 4; ++turn)
    x = flipped(ops::transpose(x, order), first);
  return {x};
}

Results broadcast(const ShapeArgs& a, const OperationCall& call) {
  return {ops::broadcast_to(call.tensor(0), Shape(integers(a.shape)))};
}
Results slice(const ShapeArgs& a, const OperationCall& call) {
  return {ops::slice(call.tensor(0), integers(call.value(1)), integers(a.shape))};
}
Results ravel(const NoArgs&, const OperationCall& call) {
  return {ops::reshape(call.tensor(0), {-1})};
}

const RegisterOperation<FlipArgs> flips{"numpy", "Flip", flip};
const RegisterOperation<> flips_down{"numpy", "Flipud", flip_one<0>};
const RegisterOperation<> flips_across{"numpy", "Fliplr", flip_one<1>};
const RegisterOperation<RollArgs> rolls{"numpy", "Roll", roll};
const RegisterOperation<MoveAxisArgs> move_axes{"numpy", "Moveaxis", move_axis};
const RegisterOperation<Rot90Args> rotations{"numpy", "Rot90", rot90};
const RegisterOperation<ShapeArgs> broadcasts{"numpy", "BroadcastTo", broadcast};
const RegisterOperation<ShapeArgs> slices{"core", "Slice", slice};
const RegisterOperation<> ravels{"numpy", "Ravel", ravel};

}  // namespace
}  // namespace stoker::nn
