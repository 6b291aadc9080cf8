#pragma once
#include "shim_math.h"

// CUDA's intrinsics; the fast ones are exact here.
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

// The GPU's conversions: values out of range are clamped, NaN becomes 0.
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
