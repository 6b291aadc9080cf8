#include <numbers>

#include "nn/operations/arctangent.h"
#include "nn/operations/elementwise_calls.h"
#include "stoker/activations.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Elementwise functions composed of several ops.
namespace stoker::nn {

namespace {

using Results = std::vector<Tensor>;

Tensor is_negative(const Tensor& x) { return ops::less(x, 0.0); }
Tensor half_difference(const Tensor& a, const Tensor& b) { return 0.5 * (a - b); }

Tensor tan(const Tensor& x) { return ops::sin(x) / ops::cos(x); }
Tensor sinh(const Tensor& x) { return half_difference(ops::expm1(x), ops::expm1(-x)); }
Tensor cosh(const Tensor& x) { return 0.5 * (ops::exp(x) + ops::exp(-x)); }
Tensor arccosh(const Tensor& x) { return ops::log(x + ops::sqrt((x - 1.0) * (x + 1.0))); }
Tensor arctanh(const Tensor& x) { return half_difference(ops::log1p(x), ops::log1p(-x)); }
Tensor arcsinh(const Tensor& x) {
  const Tensor size = ops::where(is_negative(x), -x, x);
  const Tensor y = ops::log1p(size + size * size / (1.0 + ops::sqrt(size * size + 1.0)));
  return ops::where(is_negative(x), -y, y);
}

Tensor arctan(const Tensor& x) { return arctan2(x, ops::ones_like(x)); }
Tensor other_leg(const Tensor& x) { return ops::sqrt((1.0 - x) * (1.0 + x)); }
Tensor arcsin(const Tensor& x) { return arctan2(x, other_leg(x)); }
Tensor arccos(const Tensor& x) { return arctan2(other_leg(x), x); }

Tensor exp2(const Tensor& x) { return ops::exp(x * std::numbers::ln2); }
Tensor log2(const Tensor& x) { return ops::log(x) * std::numbers::log2e; }
Tensor log10(const Tensor& x) { return ops::log(x) * std::numbers::log10e; }
Tensor ldexp(const Tensor& x, const Tensor& power) {
  return ops::where(ops::equal(x, 0.0), x, x * exp2(power));
}
Tensor cbrt(const Tensor& x) { return ops::sign(x) * ops::power(ops::abs(x), 1.0 / 3); }
Tensor deg2rad(const Tensor& x) { return x * (std::numbers::pi / 180); }
Tensor rad2deg(const Tensor& x) { return x * (180 / std::numbers::pi); }
Tensor erfc(const Tensor& x) { return 1.0 - ops::erf(x); }
Tensor sinc(const Tensor& x) {
  const Tensor none = ops::equal(x, 0.0);
  const Tensor angle = ops::where(none, ops::ones_like(x), x) * std::numbers::pi;
  return ops::where(none, number(x, 1), ops::sin(angle) / angle);
}

Tensor same(const Tensor& x) { return x; }

const RegisterOperation<> ldexps{"numpy", "Ldexp", of_wide_two<ldexp>};
const RegisterOperation<> fabs{"numpy", "Fabs", of_float<ops::abs>};
const RegisterOperation<> tans{"numpy", "Tan", of_wide<tan>};
const RegisterOperation<> sinhs{"numpy", "Sinh", of_wide<sinh>};
const RegisterOperation<> coshs{"numpy", "Cosh", of_wide<cosh>};
const RegisterOperation<> arcsins{"numpy", "Arcsin", of_wide<arcsin>};
const RegisterOperation<> arccoss{"numpy", "Arccos", of_wide<arccos>};
const RegisterOperation<> arctans{"numpy", "Arctan", of_wide<arctan>};
const RegisterOperation<> arcsinhs{"numpy", "Arcsinh", of_wide<arcsinh>};
const RegisterOperation<> arccoshs{"numpy", "Arccosh", of_wide<arccosh>};
const RegisterOperation<> arctanhs{"numpy", "Arctanh", of_wide<arctanh>};
const RegisterOperation<> exp2s{"numpy", "Exp2", of_wide<exp2>};
const RegisterOperation<> log2s{"numpy", "Log2", of_wide<log2>};
const RegisterOperation<> log10s{"numpy", "Log10", of_wide<log10>};
const RegisterOperation<> cbrts{"numpy", "Cbrt", of_wide<cbrt>};
const RegisterOperation<> radians{"numpy", "Deg2rad", of_float<deg2rad>};
const RegisterOperation<> degrees{"numpy", "Rad2deg", of_float<rad2deg>};
const RegisterOperation<> sincs{"numpy", "Sinc", of_wide<sinc>};
const RegisterOperation<> erfcs{"math", "Erfc", of_wide<erfc>};

const RegisterOperation<> copy{"numpy", "Copy", of_any<same>};
const RegisterOperation<> real{"numpy", "Real", of_any<same>};
const RegisterOperation<> conjugate{"numpy", "Conjugate", of_any<same>};

Tensor logaddexp(const Tensor& a, const Tensor& b) { return b + activations::softplus(a - b); }
Tensor logaddexp2(const Tensor& a, const Tensor& b) {
  return logaddexp(a * std::numbers::ln2, b * std::numbers::ln2) * std::numbers::log2e;
}
Tensor hypot(const Tensor& a, const Tensor& b) { return ops::sqrt(a * a + b * b); }
Tensor heaviside(const Tensor& x, const Tensor& at_zero) {
  const Tensor step = ops::where(is_negative(x), number(x, 0), number(x, 1));
  return ops::where(ops::equal(x, 0.0), at_zero, step);
}
Tensor logical_xor(const Tensor& a, const Tensor& b) {
  return ops::logical_and(ops::logical_or(a, b), ops::logical_not(ops::logical_and(a, b)));
}

const RegisterOperation<> arctan2s{"numpy", "Arctan2", of_wide_two<arctan2>};
const RegisterOperation<> logaddexps{"numpy", "Logaddexp", of_wide_two<logaddexp>};
const RegisterOperation<> logaddexp2s{"numpy", "Logaddexp2", of_wide_two<logaddexp2>};
const RegisterOperation<> hypots{"numpy", "Hypot", of_wide_two<hypot>};
const RegisterOperation<> heavisides{"numpy", "Heaviside", of_floats<heaviside>};
const RegisterOperation<> xors{"numpy", "LogicalXor", of_two<logical_xor>};

Results is_close(const NoArgs&, const OperationCall& call) {
  const auto [a, b] = call.operands(0, 1);
  const Config rtol = call.optional(2, "rtol"), atol = call.optional(3, "atol");
  const double relative = rtol.is_null() ? 1e-5 : rtol.as_double(),
               absolute = atol.is_null() ? 1e-8 : atol.as_double();
  const Tensor x = as_float(a), y = as_float(b);
  return {ops::less_equal(ops::abs(x - y), ops::abs(y) * relative + absolute)};
}

}  // namespace

struct IscloseArgs {};
template <class V>
void visit(IscloseArgs&, V& v) {
  v.fixed("equal_nan", false);
}
namespace {
const RegisterOperation<IscloseArgs> closes{
    "numpy", "Isclose",
    [](const IscloseArgs&, const OperationCall& call) { return is_close({}, call); }};
}  // namespace

}  // namespace stoker::nn
