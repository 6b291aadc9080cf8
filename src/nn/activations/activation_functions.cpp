#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "graph/emit.h"
#include "graph/promotion.h"
#include "stoker/activations.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"

namespace stoker::activations {
namespace {

Tensor zero_like(const Tensor& x) { return graph::scalar_like(x, 0); }

// Negation and multiplication would leave the range of small integers.
Tensor in_floats(const Tensor& x) { return ops::cast(x, graph::float_type(x.dtype())); }

// exp(x) - 1 for negative x; clipping keeps the gradient from overflowing for large x.
Tensor negative_exponential(const Tensor& x) { return ops::expm1(ops::minimum(x, 0.0)); }

}  // namespace

Tensor relu(const Tensor& given, const ReluArgs& args) {
  const Tensor x = args.negative_slope == 0 ? given : in_floats(given);
  Tensor y = args.threshold == 0 ? ops::relu(x)
                                 : ops::where(ops::greater(x, args.threshold), x, zero_like(x));
  if (args.max_value)
    y = ops::minimum(y, is_floating(y.dtype()) ? *args.max_value : std::floor(*args.max_value));
  if (args.negative_slope == 0) return y;
  return y - args.negative_slope * ops::relu(args.threshold - x);
}

Tensor relu6(const Tensor& x) { return ops::minimum(ops::relu(x), 6.0); }

Tensor leaky_relu(const Tensor& x, double negative_slope) {
  return ops::where(ops::greater(x, 0.0), x, negative_slope * x);
}

Tensor elu(const Tensor& x, double alpha) { return ops::relu(x) + alpha * negative_exponential(x); }

Tensor selu(const Tensor& x) {
  constexpr double alpha = 1.6732632423543772, scale = 1.0507009873554805;
  return scale * elu(x, alpha);
}

Tensor celu(const Tensor& x, double alpha) {
  return ops::relu(x) + alpha * negative_exponential(x / alpha);
}

Tensor gelu(const Tensor& x, bool approximate) {
  if (!approximate) return 0.5 * x * (1.0 + ops::erf(x * (1 / std::numbers::sqrt2)));
  const double scale = std::sqrt(2 / std::numbers::pi);
  return 0.5 * x * (1.0 + ops::tanh(scale * (x + 0.044715 * x * x * x)));
}

Tensor glu(const Tensor& x, int64_t axis) {
  const int along = normalize_axis(axis, x.shape().rank());
  Shape half = x.shape();
  if (half[along] % 2 != 0)
    throw InvalidArgument(
        fmt::format("[glu] halves axis {}, whose size is odd in {}.", axis, to_string(x.shape())));
  half[along] /= 2;
  std::vector<int64_t> start(half.dims().size(), 0);
  const Tensor value = ops::slice(x, start, half.dims());
  start[static_cast<size_t>(along)] = half[along];
  return value * ops::sigmoid(ops::slice(x, start, half.dims()));
}

Tensor silu(const Tensor& x) { return x * ops::sigmoid(x); }
Tensor mish(const Tensor& x) { return x * ops::tanh(softplus(x)); }

// log(1 + exp(x)) without overflow. Below 0 the gradient comes from the logarithm alone, so that it
// has the same relative precision as the value where both are tiny. `where` instead of |x|, whose
// gradient at 0 would be 0.
Tensor softplus(const Tensor& given) {
  const Tensor x = in_floats(given);
  return ops::relu(x) + ops::log1p(ops::exp(ops::where(ops::greater(x, 0.0), -x, x)));
}

Tensor softsign(const Tensor& x) { return x / (ops::abs(x) + 1.0); }
Tensor squareplus(const Tensor& given, double b) {
  const Tensor x = in_floats(given);
  return 0.5 * (x + ops::sqrt(x * x + b));
}

Tensor sparse_plus(const Tensor& given) {
  const Tensor x = in_floats(given);
  const Tensor curve = 0.25 * ops::square(ops::maximum(x, -1.0) + 1.0);
  return ops::where(ops::less(x, 1.0), curve, x);
}

Tensor sigmoid(const Tensor& x) { return ops::sigmoid(x); }
Tensor log_sigmoid(const Tensor& x) { return -softplus(-in_floats(x)); }
Tensor hard_sigmoid(const Tensor& x) { return ops::clip(x * (1.0 / 6) + 0.5, 0, 1); }
Tensor sparse_sigmoid(const Tensor& x) { return ops::clip(0.5 * (x + 1.0), 0, 1); }
Tensor hard_silu(const Tensor& x) { return x * hard_sigmoid(x); }
Tensor tanh(const Tensor& x) { return ops::tanh(x); }
Tensor hard_tanh(const Tensor& x) { return ops::clip(x, -1, 1); }
Tensor tanh_shrink(const Tensor& x) { return x - ops::tanh(x); }

Tensor hard_shrink(const Tensor& x, double threshold) {
  return ops::where(ops::greater(ops::abs(x), threshold), x, zero_like(x));
}
Tensor soft_shrink(const Tensor& x, double threshold) {
  return x - ops::clip(x, -threshold, threshold);
}

Tensor exponential(const Tensor& x) { return ops::exp(x); }
Tensor linear(const Tensor& x) { return x; }
Tensor softmax(const Tensor& x, int64_t axis) { return ops::softmax(x, axis); }
Tensor log_softmax(const Tensor& x, int64_t axis) { return ops::log_softmax(x, axis); }

Tensor threshold(const Tensor& given, double threshold, double default_value) {
  const Tensor x = in_floats(given);
  return ops::where(ops::greater(x, threshold), x, graph::scalar_like(x, default_value));
}

}  // namespace stoker::activations
