#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "stoker/ops/shape_ops.h"

// Operations that repeat elements: repeat and tile.
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

namespace {

using Results = std::vector<Tensor>;

// Repeats every axis: (d) → (before, d, after) → one axis again.
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

const RegisterOperation<Repeats> tiles{"numpy", "Tile", tile};
const RegisterOperation<RepeatArgs> repeats{"numpy", "Repeat", repeat};

}  // namespace
}  // namespace stoker::nn
