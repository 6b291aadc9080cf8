#include "nn/layers/regularization/drawn_dropout.h"

#include "stoker/ops/elementwise.h"
#include "stoker/ops/random.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {
constexpr uint64_t dropout_key = 1;
}  // namespace

Tensor DrawnDropout::noise(const Shape& shape, double rate, DType dtype) const {
  if (rate >= 1) return ops::fill(shape, 0, dtype);
  const Tensor state = state_;
  const Tensor kept = ops::greater_equal(ops::random_uniform(shape, dropout_key, state), rate);
  state_.assign(state + 1.0);
  return ops::cast(kept, dtype) * (1 / (1 - rate));
}

}  // namespace stoker::nn
