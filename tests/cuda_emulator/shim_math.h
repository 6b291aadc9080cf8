#pragma once

// CUDA's mathematical functions out of the host's library, and its intrinsics.
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

template <class To, class From>
static inline To emulated_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
static inline int __float_as_int(float x) { return emulated_bits<int>(x); }
static inline unsigned int __float_as_uint(float x) { return emulated_bits<unsigned int>(x); }
static inline float __int_as_float(int x) { return emulated_bits<float>(x); }
static inline float __uint_as_float(unsigned int x) { return emulated_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return emulated_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return emulated_bits<double>(x); }
static inline int __double2hiint(double x) { return int(emulated_bits<long long>(x) >> 32); }
static inline int __double2loint(double x) { return int(emulated_bits<long long>(x)); }

#define EMULATED_FAST_1(name, exact) \
  static inline float name(float x) { return exact; }
EMULATED_FAST_1(__expf, __builtin_expf(x))
EMULATED_FAST_1(__exp10f, exp10f(x))
EMULATED_FAST_1(__logf, __builtin_logf(x))
EMULATED_FAST_1(__log2f, __builtin_log2f(x))
EMULATED_FAST_1(__log10f, __builtin_log10f(x))
EMULATED_FAST_1(__sinf, __builtin_sinf(x))
EMULATED_FAST_1(__cosf, __builtin_cosf(x))
EMULATED_FAST_1(__tanf, __builtin_tanf(x))
EMULATED_FAST_1(__frcp_rn, 1.0f / x)
EMULATED_FAST_1(__fsqrt_rn, __builtin_sqrtf(x))
EMULATED_FAST_1(__frsqrt_rn, rsqrtf(x))
EMULATED_FAST_1(__saturatef, x > 0 ? (x < 1 ? x : 1.0f) : 0.0f)
static inline float __powf(float x, float y) { return __builtin_powf(x, y); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __fdiv_rn(float x, float y) { return x / y; }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fsub_rn(float x, float y) { return x - y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline double __ddiv_rn(double x, double y) { return x / y; }
static inline double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }

// The GPU's conversions: what does not fit becomes the nearest that does, a NaN becomes 0.
static inline int emulated_int(double x) {
  return x != x ? 0 : x < -0x1p31 ? -0x7fffffff - 1 : x >= 0x1p31 ? 0x7fffffff : int(x);
}
static inline unsigned int emulated_uint(double x) {
  return !(x > 0) ? 0u : x >= 0x1p32 ? 0xffffffffu : (unsigned int)(x);
}
static inline long long emulated_long(double x) {
  const long long most = 0x7fffffffffffffff;
  return x != x ? 0 : x < -0x1p63 ? -most - 1 : x >= 0x1p63 ? most : (long long)(x);
}
static inline int __float2int_rn(float x) { return emulated_int(__builtin_rint(x)); }
static inline int __float2int_rz(float x) { return emulated_int(x); }
static inline int __float2int_rd(float x) { return emulated_int(__builtin_floor(x)); }
static inline int __float2int_ru(float x) { return emulated_int(__builtin_ceil(x)); }
static inline unsigned int __float2uint_rn(float x) { return emulated_uint(__builtin_rint(x)); }
static inline unsigned int __float2uint_rz(float x) { return emulated_uint(x); }
static inline long long __float2ll_rz(float x) { return emulated_long(x); }
static inline long long __float2ll_rn(float x) { return emulated_long(__builtin_rint(x)); }
static inline long long __double2ll_rz(double x) { return emulated_long(x); }
static inline int __double2int_rz(double x) { return emulated_int(x); }
static inline int __double2int_rn(double x) { return emulated_int(__builtin_rint(x)); }
static inline float __double2float_rn(double x) { return float(x); }
static inline float __int2float_rn(int x) { return float(x); }
static inline float __uint2float_rn(unsigned int x) { return float(x); }
static inline float __ll2float_rn(long long x) { return float(x); }

static inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
static inline int __popc(unsigned int x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return unsigned(((unsigned long long)a * b) >> 32);
}
static inline int __mulhi(int a, int b) { return int(((long long)a * b) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
static inline unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int select) {
  const unsigned long long all = (unsigned long long)b << 32 | a;
  unsigned int out = 0;
  for (int i = 0; i < 4; ++i) out |= unsigned(all >> 8 * (select >> 4 * i & 7) & 0xff) << 8 * i;
  return out;
}
static inline unsigned int __brev(unsigned int x) {
  unsigned int out = 0;
  for (int i = 0; i < 32; ++i) out |= (x >> i & 1u) << (31 - i);
  return out;
}
static inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  return unsigned((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
static inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  return unsigned(((unsigned long long)high << 32 | low) >> (by & 31));
}

template <class T>
static inline T __ldg(const T* at) {
  return *at;
}
#define __ldcg __ldg
#define __ldcs __ldg
#define __ldca __ldg
template <class T, class V>
static inline void __stcs(T* at, V value) {
  *at = value;
}
#define __stcg __stcs
