#include "nn/operations/axis_helpers.h"
#include "nn/operations/cumulative.h"
#include "stoker/activations.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/sort.h"

namespace stoker::activations {

// The threshold is computed as in Keras, which sums the cumulative sums of the support.
Tensor sparsemax(const Tensor& x, int64_t axis) {
  const Tensor z = nn::moved(x, axis, -1);
  const int64_t n = z.shape().back();
  const Tensor falling = ops::top_k(z, n).values;
  const Tensor running = nn::running_sum(falling, z.shape().rank() - 1);
  const Tensor place = nn::count_up(n, z.dtype()) + 1.0;
  const Tensor supports = ops::greater(falling - (running - 1.0) / place, 0.0);
  const Tensor held = ops::where(supports, running, ops::zeros_like(running));
  const Tensor count = ops::sum(ops::cast(supports, z.dtype()), {.axis = {-1}, .keepdims = true});
  const Tensor threshold = (ops::sum(held, {.axis = {-1}, .keepdims = true}) - 1.0) / count;
  return nn::moved(ops::relu(z - threshold), -1, axis);
}

}  // namespace stoker::activations
