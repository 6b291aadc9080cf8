#include "nn/losses/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/emit.h"
#include "nn/unit_vectors.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

// `longer` has one more axis, of size 1: drops it, or adds one to the other tensor if that has rank
// 1.
void drop_or_add_axis(Tensor& longer, Tensor& shorter) {
  if (longer.shape().back() != 1) return;
  if (shorter.shape().rank() == 1)
    shorter = ops::expand_dims(shorter, -1);
  else
    longer = ops::squeeze(longer, -1);
}

std::string hint_for(const Shape& target, const Shape& output) {
  const bool one_label_each =
      output.rank() > 0 &&
      (target.rank() < output.rank() || (target.rank() == output.rank() && target.back() == 1));
  if (one_label_each && output.back() > 1)
    return fmt::format(
        "the outputs have {} values each, the targets one: for class numbers use "
        "sparse_categorical_crossentropy, else a last layer of 1 unit.",
        output.back());
  return "the model's last layer must have as many units as a target has values.";
}

}  // namespace

std::pair<Tensor, Tensor> to_same_rank(const Tensor& a, const Tensor& b) {
  std::pair<Tensor, Tensor> out{a, b};
  if (a.shape().rank() == b.shape().rank() + 1)
    drop_or_add_axis(out.first, out.second);
  else if (b.shape().rank() == a.shape().rank() + 1)
    drop_or_add_axis(out.second, out.first);
  return out;
}

std::pair<Tensor, Tensor> match(const std::string& name, const Tensor& y_true,
                                const Tensor& y_pred) {
  auto matched = to_same_rank(ops::cast(y_true, y_pred.dtype()), y_pred);
  if (matched.first.shape() != matched.second.shape())
    throw InvalidArgument(fmt::format("[{}] targets {} do not fit outputs {}.", name,
                                      to_string(y_true.shape()), to_string(y_pred.shape())),
                          hint_for(y_true.shape(), y_pred.shape()));
  return matched;
}

Tensor divide_no_nan(const Tensor& a, const Tensor& b) {
  const Tensor none = ops::equal(b, 0.0);
  // The divisor is replaced, too: otherwise the gradient of the unselected branch would be NaN.
  const Tensor quotient = a / ops::where(none, graph::scalar_like(b, 1), b);
  return ops::where(none, graph::scalar_like(quotient, 0), quotient);
}

Tensor unit_length(const Tensor& x, int64_t axis) { return nn::unit_vectors(x, {axis}); }

Tensor move_axis_last(const Tensor& x, int64_t axis) {
  const int rank = x.shape().rank(), from = normalize_axis(axis, rank);
  if (from == rank - 1) return x;
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + from, order.begin() + from + 1, order.end());
  return ops::transpose(x, order);
}

Tensor smooth_categorical(const Tensor& target, double share) {
  if (share == 0) return target;
  return target * (1 - share) + share / static_cast<double>(target.shape().back());
}

}  // namespace stoker::nn
