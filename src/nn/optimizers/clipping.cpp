#include "nn/optimizers/clipping.h"

#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::nn {

Tensor clip_by_norm(const Tensor& gradient, double limit) {
  const Tensor norm = ops::sqrt(ops::sum(ops::square(gradient)));
  return gradient * limit / ops::maximum(norm, limit);
}

Tensor global_norm_scale(const std::vector<Tensor>& gradients, double limit) {
  Tensor squares;
  for (const Tensor& gradient : gradients) {
    const Tensor own = ops::cast(ops::sum(ops::square(gradient)), DType::float32);
    squares = squares.defined() ? squares + own : own;
  }
  const Tensor norm = ops::sqrt(squares);
  // norm - norm is NaN for an infinite norm, so that the step is recognised as not finite.
  return limit * ops::minimum(1.0 / norm, 1.0 / limit) + (norm - norm);
}

}  // namespace stoker::nn
