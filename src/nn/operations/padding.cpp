#include <algorithm>

#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Padding by a constant or by reflection.
namespace stoker::nn {

struct PadArgs {
  Config pad_width = {};
  std::string mode = "constant";
};
template <class V>
void visit(PadArgs& a, V& v) {
  v("pad_width", a.pad_width, required);
  v("mode", a.mode);
}

namespace {

using Results = std::vector<Tensor>;

// The index inside 0 … n - 1 that an index outside reflects to.
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
  return {ops::where(outside, number(x, value.as_double()), padded)};
}

const RegisterOperation<PadArgs> pads{"numpy", "Pad", pad};

}  // namespace
}  // namespace stoker::nn
