#include <algorithm>
#include <numeric>

#include "nn/operations/axes.h"
#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Operations that put numbers in other places, once or several times.
namespace stoker::nn {

struct Repeats {
  Config repeats = {};
};
template <class V>
void visit(Repeats& a, V& v) {
  v("repeats", a.repeats, required);
}

struct RepeatArgs : Repeats {
  std::optional<int64_t> axis = {};
};
template <class V>
void visit(RepeatArgs& a, V& v) {
  visit(static_cast<Repeats&>(a), v);
  v("axis", a.axis);
}

struct PadArgs {
  Config pad_width = {};
  std::string mode = "constant";
};
template <class V>
void visit(PadArgs& a, V& v) {
  v("pad_width", a.pad_width, required);
  v("mode", a.mode);
}

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

struct BlockArgs {
  int64_t block_size = 0;
  std::string data_format = "channels_last";
};
template <class V>
void visit(BlockArgs& a, V& v) {
  v("block_size", a.block_size, required);
  v("data_format", a.data_format);
}

namespace {

using Results = std::vector<Tensor>;

// Every axis `before` and `after` times over: (d) → (before, d, after) → one axis again.
Tensor multiplied(const Tensor& x, const std::vector<int64_t>& before,
                  const std::vector<int64_t>& after) {
  std::vector<int64_t> thin, wide, out;
  for (size_t i = 0; i < before.size(); ++i) {
    const int64_t size = x.shape()[static_cast<int>(i)];
    thin.insert(thin.end(), {1, size, 1});
    wide.insert(wide.end(), {before[i], size, after[i]});
    out.push_back(before[i] * size * after[i]);
  }
  return ops::reshape(ops::broadcast_to(ops::reshape(x, Shape(thin)), Shape(wide)), Shape(out));
}

Results tile(const Repeats& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  std::vector<int64_t> repeats = integers(a.repeats);
  const auto rank = static_cast<size_t>(x.shape().rank());
  if (repeats.size() < rank) repeats.insert(repeats.begin(), rank - repeats.size(), 1);
  for (size_t i = rank; i < repeats.size(); ++i) x = ops::expand_dims(x, 0);
  return {multiplied(x, repeats, std::vector<int64_t>(repeats.size(), 1))};
}

Results repeat(const RepeatArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  if (!a.axis) x = ops::reshape(x, {-1});
  const int axis = normalize_axis(a.axis.value_or(0), x.shape().rank());
  const std::vector<int64_t> repeats = integers(a.repeats);
  std::vector<int64_t> once(static_cast<size_t>(x.shape().rank()), 1), often = once;
  if (repeats.size() == 1) {
    often[static_cast<size_t>(axis)] = repeats[0];
    return {multiplied(x, once, often)};
  }
  std::vector<int64_t> places;
  for (size_t i = 0; i < repeats.size(); ++i)
    places.insert(places.end(), static_cast<size_t>(repeats[i]), static_cast<int64_t>(i));
  return {picked(x, axis, places)};
}

// The place inside 0 … n - 1 that a place outside mirrors.
int64_t mirrored(int64_t at, int64_t n, bool edge_twice) {
  const int64_t period = edge_twice ? 2 * n : std::max<int64_t>(2 * (n - 1), 1);
  const int64_t inside = ((at % period) + period) % period;
  return inside < n ? inside : period - inside - (edge_twice ? 1 : 0);
}

std::vector<std::vector<int64_t>> widths_of(const Config& given, int rank) {
  std::vector<std::vector<int64_t>> widths;
  if (given.is_int() || given.as_list().at(0).is_int())
    widths.push_back(integers(given));
  else
    for (const Config& pair : given.as_list()) widths.push_back(integers(pair));
  if (widths.size() == 1) widths.resize(static_cast<size_t>(rank), widths[0]);
  for (auto& pair : widths)
    if (pair.size() == 1) pair.push_back(pair[0]);
  if (widths.size() != static_cast<size_t>(rank))
    throw InvalidArgument(
        fmt::format("pad_width is for {} axes, the tensor has {}.", widths.size(), rank));
  return widths;
}

Tensor mirror_pad(Tensor x, const std::vector<std::vector<int64_t>>& widths, bool edge_twice) {
  for (int axis = 0; axis < x.shape().rank(); ++axis) {
    const auto& width = widths[static_cast<size_t>(axis)];
    const int64_t n = x.shape()[axis];
    std::vector<int64_t> places;
    for (int64_t i = -width[0]; i < n + width[1]; ++i) places.push_back(mirrored(i, n, edge_twice));
    if (width[0] > 0 || width[1] > 0) x = picked(x, axis, places);
  }
  return x;
}

Results pad(const PadArgs& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  const auto widths = widths_of(a.pad_width, x.shape().rank());
  const Config value = call.optional(1, "constant_values");
  if (a.mode == "reflect" || a.mode == "symmetric")
    return {mirror_pad(x, widths, a.mode == "symmetric")};
  if (a.mode != "constant")
    throw Unsupported(fmt::format("mode \"{}\" is not supported.", a.mode),
                      "\"constant\", \"reflect\" and \"symmetric\" are.");
  std::vector<int64_t> before, after;
  for (const auto& width : widths) {
    before.push_back(width[0]);
    after.push_back(width[1]);
  }
  const Tensor padded = ops::pad(x, before, after);
  if (value.is_null() || value.as_double() == 0) return {padded};
  const Tensor outside = ops::equal(ops::pad(ops::fill(x.shape(), 1), before, after), 0.0);
  const Tensor filling = Array::scalar(value.as_double()).astype(x.dtype());
  return {ops::where(outside, filling, padded)};
}

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
    throw InvalidArgument(fmt::format("{} axes cannot go to {} places.", from.size(), to.size()));
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

// Images (batch, height, width, channels) are taken apart into blocks, which become channels, or
// put together of them.
Tensor in_last_format(const Tensor& x, const std::string& format, bool back) {
  if (format != "channels_first") return x;
  return ops::transpose(x,
                        back ? std::vector<int64_t>{0, 3, 1, 2} : std::vector<int64_t>{0, 2, 3, 1});
}
Results depth_to_space(const BlockArgs& a, const OperationCall& call) {
  const Tensor x = in_last_format(call.tensor(0), a.data_format, false);
  const Shape& s = x.shape();
  const int64_t b = a.block_size, depth = s[3] / (b * b);
  const Tensor blocks = ops::reshape(x, {s[0], s[1], s[2], b, b, depth});
  const Tensor turned = ops::transpose(blocks, {0, 1, 3, 2, 4, 5});
  return {
      in_last_format(ops::reshape(turned, {s[0], s[1] * b, s[2] * b, depth}), a.data_format, true)};
}
Results space_to_depth(const BlockArgs& a, const OperationCall& call) {
  const Tensor x = in_last_format(call.tensor(0), a.data_format, false);
  const Shape& s = x.shape();
  const int64_t b = a.block_size, rows = s[1] / b, columns = s[2] / b;
  const Tensor blocks = ops::reshape(x, {s[0], rows, b, columns, b, s[3]});
  const Tensor turned = ops::transpose(blocks, {0, 1, 3, 2, 4, 5});
  return {in_last_format(ops::reshape(turned, {s[0], rows, columns, b * b * s[3]}), a.data_format,
                         true)};
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

const RegisterOperation<Repeats> tiles{"numpy", "Tile", tile};
const RegisterOperation<RepeatArgs> repeats{"numpy", "Repeat", repeat};
const RegisterOperation<PadArgs> pads{"numpy", "Pad", pad};
const RegisterOperation<FlipArgs> flips{"numpy", "Flip", flip};
const RegisterOperation<RollArgs> rolls{"numpy", "Roll", roll};
const RegisterOperation<MoveAxisArgs> move_axes{"numpy", "Moveaxis", move_axis};
const RegisterOperation<Rot90Args> rotations{"numpy", "Rot90", rot90};
const RegisterOperation<BlockArgs> depths{"nn", "DepthToSpace", depth_to_space};
const RegisterOperation<BlockArgs> spaces{"nn", "SpaceToDepth", space_to_depth};
const RegisterOperation<ShapeArgs> broadcasts{"numpy", "BroadcastTo", broadcast};
const RegisterOperation<ShapeArgs> slices{"core", "Slice", slice};
const RegisterOperation<> ravels{"numpy", "Ravel", ravel};

}  // namespace
}  // namespace stoker::nn
