#include <cmath>

#include "nn/operations/elementwise_calls.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

// Rounding, floor division and remainders.
namespace stoker::nn {

struct Decimals {
  int64_t decimals = 0;
};
template <class V>
void visit(Decimals& a, V& v) {
  v("decimals", a.decimals);
}

namespace {

using Results = std::vector<Tensor>;

Tensor ceil(const Tensor& x) { return -ops::floor(-x); }
Tensor trunc(const Tensor& x) { return ops::where(ops::less(x, 0.0), ceil(x), ops::floor(x)); }

Results round(const Decimals& a, const OperationCall& call) {
  const Tensor x = call.tensor(0);
  if (!is_floating(x.dtype()) && a.decimals >= 0) return {x};
  const double scale = std::pow(10.0, static_cast<double>(a.decimals));
  return {a.decimals == 0 ? rounded_half_even(x) : rounded_half_even(x * scale) / scale};
}
// Integers via float64, which is exact up to 2^53.
Tensor floor_divide(const Tensor& a, const Tensor& b) {
  if (is_floating(a.dtype())) return ops::floor(a / b);
  const Tensor whole = ops::floor(ops::cast(a, DType::float64) / ops::cast(b, DType::float64));
  return ops::cast(whole, a.dtype());
}
Tensor mod(const Tensor& a, const Tensor& b) { return a - floor_divide(a, b) * b; }
Tensor fmod(const Tensor& a, const Tensor& b) { return a - trunc(a / b) * b; }

const RegisterOperation<> ceils{"numpy", "Ceil", of_float<ceil>};
const RegisterOperation<> truncs{"numpy", "Trunc", of_float<trunc>};
const RegisterOperation<Decimals> rounds{"numpy", "Round", round};
const RegisterOperation<> fmods{"numpy", "Fmod", of_floats<fmod>};
const RegisterOperation<> mods{"numpy", "Mod", of_two<mod>};
const RegisterOperation<> floor_divides{"numpy", "FloorDivide", of_two<floor_divide>};

}  // namespace
}  // namespace stoker::nn
