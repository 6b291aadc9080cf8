#include "nn/operations/arctangent.h"

#include <numbers>

#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

// For |x| ≤ 1: the angle is halved three times, so that few terms of the series are needed.
Tensor small_arctan(const Tensor& x) {
  Tensor t = x;
  for (int i = 0; i < 3; ++i) t = t / (1.0 + ops::sqrt(t * t + 1.0));
  const Tensor s = t * t;
  Tensor series = s * (-1.0 / 11) + 1.0 / 9;
  for (double odd : {7.0, 5.0, 3.0, 1.0}) series = (1 / odd) - s * series;
  return 8.0 * t * series;
}

}  // namespace

// The quotient of the smaller by the larger number has an angle of at most 45 degrees.
Tensor arctan2(const Tensor& y, const Tensor& x) {
  using std::numbers::pi;
  const Tensor steep = ops::greater(ops::abs(y), ops::abs(x));
  const Tensor over = ops::where(steep, x, y), under = ops::where(steep, y, x);
  const Tensor none = ops::equal(under, 0.0);
  const Tensor angle = small_arctan(over / ops::where(none, ops::ones_like(under), under));
  const auto number = [&](double value) { return Tensor(Array::scalar(value).astype(y.dtype())); };
  const auto signed_by_y = [&](double value) {
    return ops::where(ops::less(y, 0.0), number(-value), number(value));
  };
  const Tensor flat = ops::where(ops::less(x, 0.0), angle + signed_by_y(pi), angle);
  return ops::where(steep, signed_by_y(pi / 2) - angle, flat);
}

}  // namespace stoker::nn
