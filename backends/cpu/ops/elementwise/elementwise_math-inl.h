// Compiled once per SIMD target, so the include guard toggles instead of being a #pragma once.
#if defined(STOKER_ELEMENTWISE_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_ELEMENTWISE_MATH_INL_H_
#undef STOKER_ELEMENTWISE_MATH_INL_H_
#else
#define STOKER_ELEMENTWISE_MATH_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <limits>

// What each float32 op does to one vector. Highway's functions support a limited range; outside of
// it the standard library's results are used.
HWY_BEFORE_NAMESPACE();
namespace stoker::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

HWY_INLINE V constant(float value) { return hn::Set(D(), value); }
HWY_INLINE V infinity() { return constant(std::numeric_limits<float>::infinity()); }
HWY_INLINE V keep_nan(V x, V y) { return hn::IfThenElse(hn::IsNaN(x), x, y); }

#define STOKER_VECTOR(Name, expression)                       \
  struct Name {                                               \
    HWY_INLINE V operator()(V a) const { return expression; } \
  };
#define STOKER_VECTORS(Name, expression)                           \
  struct Name {                                                    \
    HWY_INLINE V operator()(V a, V b) const { return expression; } \
  };
STOKER_VECTORS(Add, hn::Add(a, b))
STOKER_VECTORS(Subtract, hn::Sub(a, b))
STOKER_VECTORS(Multiply, hn::Mul(a, b))
STOKER_VECTORS(Divide, hn::Div(a, b))
STOKER_VECTORS(Maximum, keep_nan(a, hn::IfThenElse(hn::Gt(a, b), a, b)))
STOKER_VECTORS(Minimum, keep_nan(a, hn::IfThenElse(hn::Lt(a, b), a, b)))
STOKER_VECTORS(ReluGrad, hn::IfThenElseZero(hn::Gt(b, hn::Zero(D())), a))
STOKER_VECTOR(Negative, hn::Neg(a))
STOKER_VECTOR(Square, hn::Mul(a, a))
STOKER_VECTOR(Absolute, hn::Abs(a))
STOKER_VECTOR(Relu, hn::IfThenZeroElse(hn::Lt(a, hn::Zero(D())), a))
STOKER_VECTOR(SquareRoot, hn::Sqrt(a))
STOKER_VECTOR(ReciprocalRoot, hn::Div(constant(1), hn::Sqrt(a)))
STOKER_VECTOR(Reciprocal, hn::Div(constant(1), a))
STOKER_VECTOR(RoundDown, hn::Floor(a))
STOKER_VECTOR(HyperbolicTangent, keep_nan(a, hn::Tanh(D(), a)))
#undef STOKER_VECTOR
#undef STOKER_VECTORS

constexpr float exp_limit = 88.7228394f;  // the largest float whose exponential is finite

struct Exponential {
  HWY_INLINE V operator()(V x) const {
    const V inside = hn::Exp(D(), hn::Min(x, constant(exp_limit)));
    return keep_nan(x, hn::IfThenElse(hn::Gt(x, constant(exp_limit)), infinity(), inside));
  }
};

struct ExponentialMinus1 {
  HWY_INLINE V operator()(V x) const {
    const V inside = hn::Expm1(D(), hn::Min(x, constant(exp_limit)));
    return keep_nan(x, hn::IfThenElse(hn::Gt(x, constant(exp_limit)), infinity(), inside));
  }
};

// log(0) is -inf, log(x) of negative x NaN, and log(inf) inf.
HWY_INLINE V at_edges(V x, V zero_at, V inside) {
  const V below = hn::IfThenElse(hn::Lt(x, zero_at), constant(NAN), inside);
  const V edge = hn::IfThenElse(hn::Eq(x, zero_at), hn::Neg(infinity()), below);
  return keep_nan(x, hn::IfThenElse(hn::Eq(x, infinity()), x, edge));
}
struct Logarithm {
  HWY_INLINE V operator()(V x) const { return at_edges(x, hn::Zero(D()), hn::Log(D(), x)); }
};
struct Logarithm1p {
  HWY_INLINE V operator()(V x) const { return at_edges(x, constant(-1), hn::Log1p(D(), x)); }
};

// With e = exp(-|x|), which cannot overflow: 1 / (1 + e) or, for negative x, e / (1 + e).
struct Sigmoid {
  HWY_INLINE V operator()(V x) const {
    const V e = hn::Exp(D(), hn::Neg(hn::Abs(x)));
    const V top = hn::IfThenElse(hn::Lt(x, hn::Zero(D())), e, constant(1));
    return keep_nan(x, hn::Div(top, hn::Add(constant(1), e)));
  }
};

// Near zero x times a polynomial in x²; from 0.875 on 1 - exp(p(|x|)), where p fits log(erfc).
struct ErrorFunction {
  HWY_INLINE V operator()(V x) const {
    const V t = hn::Min(hn::Abs(x), constant(3.95f)), s = hn::Mul(x, x);
    const V near =
        hn::Mul(x, polynomial(s, {8.653808879e-5f, -0.0008206808136f, 0.005206435676f,
                                  -0.02686148467f, 0.1128373165f, -0.3761263601f, 1.128379167f}));
    const V exponent = polynomial(
        t, {1.655357515e-6f, -4.637867535e-5f, 0.0005991534911f, -0.004768810236f, 0.02644186898f,
            -0.1101063082f, -0.631809831f, -1.130235701f, 0.0003188244306f});
    const V far = hn::CopySign(hn::Sub(constant(1), hn::Exp(D(), exponent)), x);
    return keep_nan(x, hn::IfThenElse(hn::Lt(t, constant(0.875f)), near, far));
  }

 private:
  template <size_t n>
  static HWY_INLINE V polynomial(V x, const float (&highest_first)[n]) {
    V sum = constant(highest_first[0]);
    for (size_t i = 1; i < n; ++i) sum = hn::MulAdd(sum, x, constant(highest_first[i]));
    return sum;
  }
};

// Range reduction of a large angle needs more bits than a float has: these few elements are
// computed one by one.
template <class F>
HWY_INLINE V large_angles(V x, V inside, F f) {
  constexpr float limit = 30000;
  const D d;
  if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), constant(limit))))) return inside;
  HWY_ALIGN float in[hn::MaxLanes(d)], out[hn::MaxLanes(d)];
  hn::Store(x, d, in);
  hn::Store(inside, d, out);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::abs(in[i]) <= limit)) out[i] = f(in[i]);
  return hn::Load(d, out);
}
struct Sine {
  HWY_INLINE V operator()(V x) const {
    return large_angles(x, hn::Sin(D(), x), [](float a) { return std::sin(a); });
  }
};
struct Cosine {
  HWY_INLINE V operator()(V x) const {
    return large_angles(x, hn::Cos(D(), x), [](float a) { return std::cos(a); });
  }
};

}  // namespace stoker::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
