#pragma once

// CUDA's mathematical functions by the host's library.
#define EMULATED_MATH_1(name)                                             \
  static inline float name(float x) { return __builtin_##name##f(x); }    \
  static inline float name##f(float x) { return __builtin_##name##f(x); } \
  static inline double name(double x) { return __builtin_##name(x); }     \
  template <class T>                                                      \
  static inline double name(T x) {                                        \
    return __builtin_##name(double(x));                                   \
  }
#define EMULATED_MATH_2(name)                                                         \
  static inline float name(float x, float y) { return __builtin_##name##f(x, y); }    \
  static inline float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  static inline double name(double x, double y) { return __builtin_##name(x, y); }    \
  template <class A, class B>                                                         \
  static inline double name(A x, B y) {                                               \
    return __builtin_##name(double(x), double(y));                                    \
  }
EMULATED_MATH_1(exp)
EMULATED_MATH_1(exp2)
EMULATED_MATH_1(expm1)
EMULATED_MATH_1(log)
EMULATED_MATH_1(log2)
EMULATED_MATH_1(log10)
EMULATED_MATH_1(log1p)
EMULATED_MATH_1(sqrt)
EMULATED_MATH_1(cbrt)
EMULATED_MATH_1(sin)
EMULATED_MATH_1(cos)
EMULATED_MATH_1(tan)
EMULATED_MATH_1(asin)
EMULATED_MATH_1(acos)
EMULATED_MATH_1(atan)
EMULATED_MATH_1(sinh)
EMULATED_MATH_1(cosh)
EMULATED_MATH_1(tanh)
EMULATED_MATH_1(asinh)
EMULATED_MATH_1(acosh)
EMULATED_MATH_1(atanh)
EMULATED_MATH_1(erf)
EMULATED_MATH_1(erfc)
EMULATED_MATH_1(lgamma)
EMULATED_MATH_1(tgamma)
EMULATED_MATH_1(floor)
EMULATED_MATH_1(ceil)
EMULATED_MATH_1(trunc)
EMULATED_MATH_1(round)
EMULATED_MATH_1(rint)
EMULATED_MATH_1(nearbyint)
EMULATED_MATH_1(fabs)
EMULATED_MATH_2(pow)
EMULATED_MATH_2(fmod)
EMULATED_MATH_2(remainder)
EMULATED_MATH_2(atan2)
EMULATED_MATH_2(hypot)
EMULATED_MATH_2(copysign)
EMULATED_MATH_2(fmin)
EMULATED_MATH_2(fmax)
EMULATED_MATH_2(fdim)

static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
static inline float exp10f(float x) { return __builtin_powf(10.0f, x); }
static inline float ldexpf(float x, int e) { return __builtin_ldexpf(x, e); }
static inline double ldexp(double x, int e) { return __builtin_ldexp(x, e); }
static inline void sincosf(float x, float* s, float* c) {
  *s = __builtin_sinf(x);
  *c = __builtin_cosf(x);
}
static inline void sincos(double x, double* s, double* c) {
  *s = __builtin_sin(x);
  *c = __builtin_cos(x);
}
static const double emulated_pi = 3.14159265358979323846;
static inline float sinpif(float x) { return float(__builtin_sin(emulated_pi * x)); }
static inline float cospif(float x) { return float(__builtin_cos(emulated_pi * x)); }
static inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
static inline double sinpi(double x) { return __builtin_sin(emulated_pi * x); }
static inline double cospi(double x) { return __builtin_cos(emulated_pi * x); }
static inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}

template <class T>
static inline bool isnan(T x) {
  return __builtin_isnan(x);
}
template <class T>
static inline bool isinf(T x) {
  return __builtin_isinf(x);
}
template <class T>
static inline bool isfinite(T x) {
  return __builtin_isfinite(x);
}
template <class T>
static inline bool signbit(T x) {
  return __builtin_signbit(x);
}

// As CUDA's: those of floats ignore a NaN.
template <class A, class B>
static inline auto min(A a, B b) -> decltype(a + b) {
  using T = decltype(a + b);
  return T(a) < T(b) ? T(a) : T(b);
}
template <class A, class B>
static inline auto max(A a, B b) -> decltype(a + b) {
  using T = decltype(a + b);
  return T(a) > T(b) ? T(a) : T(b);
}
static inline float min(float a, float b) { return __builtin_fminf(a, b); }
static inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
static inline double min(double a, double b) { return __builtin_fmin(a, b); }
static inline double max(double a, double b) { return __builtin_fmax(a, b); }
static inline int abs(int x) { return x < 0 ? int(0u - unsigned(x)) : x; }
static inline long long abs(long long x) { return x < 0 ? (long long)(0ull - x) : x; }
static inline long long llabs(long long x) { return abs(x); }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
