#include <cmath>
#include <limits>

#include "nn/operations/elementwise_calls.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Operations that test for infinities, NaN and signed zeros, or replace them.
namespace stoker::nn {

struct NanToNumArgs {
  double nan = 0;
  std::optional<double> posinf = {}, neginf = {};
};
template <class V>
void visit(NanToNumArgs& a, V& v) {
  v("nan", a.nan);
  v("posinf", a.posinf);
  v("neginf", a.neginf);
}

namespace {

using Results = std::vector<Tensor>;

Tensor isnan(const Tensor& x) { return ops::not_equal(x, x); }
Tensor isposinf(const Tensor& x) { return ops::equal(x, HUGE_VAL); }
Tensor isneginf(const Tensor& x) { return ops::equal(x, -HUGE_VAL); }
Tensor isinf(const Tensor& x) { return ops::equal(ops::abs(x), HUGE_VAL); }
Tensor signbit(const Tensor& x) {
  const Tensor minus_zero =
      ops::logical_and(ops::equal(x, 0.0), ops::less(ops::reciprocal(x), 0.0));
  return ops::logical_or(ops::less(x, 0.0), minus_zero);
}
double largest(DType dtype) {
  return dtype == DType::float64   ? std::numeric_limits<double>::max()
         : dtype == DType::float16 ? 65504.0
                                   : static_cast<double>(std::numeric_limits<float>::max());
}
Results nan_to_num(const NanToNumArgs& a, const OperationCall& call) {
  Tensor x = call.tensor(0);
  if (!is_floating(x.dtype())) return {x};
  const double most = largest(x.dtype());
  x = ops::where(isnan(x), number(x, a.nan), x);
  x = ops::where(isposinf(x), number(x, a.posinf.value_or(most)), x);
  return {ops::where(isneginf(x), number(x, a.neginf.value_or(-most)), x)};
}
Tensor divide_no_nan(const Tensor& a, const Tensor& b) {
  const Tensor none = ops::equal(b, 0.0);
  return ops::where(none, number(a, 0), a / ops::where(none, ops::ones_like(b), b));
}
Tensor fmax(const Tensor& a, const Tensor& b) {
  return ops::where(isnan(a), b, ops::where(isnan(b), a, ops::maximum(a, b)));
}
Tensor fmin(const Tensor& a, const Tensor& b) {
  return ops::where(isnan(a), b, ops::where(isnan(b), a, ops::minimum(a, b)));
}

const RegisterOperation<> finite{"numpy", "Isfinite", of_float<ops::isfinite>};
const RegisterOperation<> infinite{"numpy", "Isinf", of_float<isinf>};
const RegisterOperation<> positive_infinite{"numpy", "Isposinf", of_float<isposinf>};
const RegisterOperation<> negative_infinite{"numpy", "Isneginf", of_float<isneginf>};
const RegisterOperation<> nans{"numpy", "Isnan", of_float<isnan>};
const RegisterOperation<> sign_bits{"numpy", "Signbit", of_float<signbit>};
const RegisterOperation<NanToNumArgs> nan_to_nums{"numpy", "NanToNum", nan_to_num};
const RegisterOperation<> no_nan{"numpy", "DivideNoNan", of_floats<divide_no_nan>};
const RegisterOperation<> fmaxs{"numpy", "Fmax", of_floats<fmax>};
const RegisterOperation<> fmins{"numpy", "Fmin", of_floats<fmin>};

}  // namespace
}  // namespace stoker::nn
