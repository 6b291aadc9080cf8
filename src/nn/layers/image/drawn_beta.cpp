#include "nn/layers/image/drawn_beta.h"

#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"
#include "stoker/ops/sort.h"

namespace stoker::nn {
namespace {

constexpr int tries = 8;            // each accepts with a probability above 95 %
constexpr double smallest = 1e-30;  // instead of 0, whose logarithm is infinite

Tensor log_of_uniform(Draws& random, const Shape& shape) {
  return ops::log(ops::maximum(random.uniform(shape), smallest));
}

// Logarithms of gamma-distributed numbers: Marsaglia and Tsang's method for alpha + 1, then
// multiplied by a power of a uniform number to get alpha.
Tensor log_of_gamma(Draws& random, const Shape& shape, const Tensor& alpha) {
  const Tensor d = alpha + (1.0 - 1.0 / 3), c = ops::rsqrt(9.0 * d);
  Tensor found = ops::broadcast_to(ops::log(d), shape);
  for (int i = 0; i < tries; ++i) {
    const Tensor x = random.normal(shape), root = 1.0 + c * x;
    const Tensor positive = ops::greater(root, 0.0);
    const Tensor log_v = 3.0 * ops::log(ops::where(positive, root, ops::ones_like(root)));
    const Tensor bound = 0.5 * x * x + d - d * ops::exp(log_v) + d * log_v;
    const Tensor accepted =
        ops::logical_and(positive, ops::less(log_of_uniform(random, shape), bound));
    found = ops::where(accepted, ops::log(d) + log_v, found);
  }
  return found + log_of_uniform(random, shape) / alpha;
}

}  // namespace

Tensor draw_beta(Draws& random, const Shape& shape, const Tensor& alpha) {
  const Tensor one = log_of_gamma(random, shape, alpha), other = log_of_gamma(random, shape, alpha);
  return ops::sigmoid(one - other);
}

Tensor draw_shares(Draws& random, int64_t n, const Tensor& alpha) {
  return ops::softmax(log_of_gamma(random, {n}, alpha));
}

Tensor draw_order(Draws& random, int64_t n) {
  return ops::cast(ops::argsort(random.uniform({n})), DType::int64);
}

}  // namespace stoker::nn
