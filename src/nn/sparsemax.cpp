#include "stoker/activations.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::activations {
namespace {

// (n, n): is j at or before i?
Tensor order_of_indices(int64_t n) {
  std::vector<uint8_t> not_after;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) not_after.push_back(j <= i);
  return ops::cast(Array::from(not_after, {n, n}), DType::boolean);
}

}  // namespace

// Without sorting: what stands before an element in descending order is found by comparing all
// pairs. The threshold is Keras's, which sums the running sums of the support.
Tensor sparsemax(const Tensor& x, int64_t axis) {
  const int at = normalize_axis(axis, x.shape().rank());
  std::vector<int64_t> swapped;
  for (int i = 0; i < x.shape().rank(); ++i) swapped.push_back(i);
  std::swap(swapped[static_cast<size_t>(at)], swapped.back());
  const Tensor z = ops::transpose(x, swapped);
  const Tensor other = ops::expand_dims(z, -2), self = ops::expand_dims(z, -1);
  const Tensor before =
      ops::cast(ops::logical_or(
                    ops::greater(other, self),
                    ops::logical_and(ops::equal(other, self), order_of_indices(z.shape().back()))),
                z.dtype());
  const Tensor running = ops::sum(before * other, {.axis = {-1}}),
               place = ops::sum(before, {.axis = {-1}});
  const Tensor support = ops::cast(ops::greater(z - (running - 1.0) / place, 0.0), z.dtype());
  const Tensor threshold = (ops::sum(support * running, {.axis = {-1}, .keepdims = true}) - 1.0) /
                           ops::sum(support, {.axis = {-1}, .keepdims = true});
  return ops::transpose(ops::relu(z - threshold), swapped);
}

}  // namespace stoker::activations
