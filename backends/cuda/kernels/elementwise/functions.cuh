// Functions called by the expressions of elementwise programs.
#pragma once
#include "common/vectors.cuh"
#include "ptx/math.cuh"

// Integer division by zero gives zero, as a step cannot fail in the middle.
template <class T>
__device__ __forceinline__ T divide_integers(T a, T b) {
  if (b == 0) return 0;
  if (T(-1) < T(0) && b == T(-1)) return T(0 - uint64_t(a));
  return T(a / b);
}
template <class T>
__device__ __forceinline__ T integer_power(T base, T exponent) {
  if (exponent < T(0)) {  // 1 / base^n is an integer only for 1 and -1
    if (base == T(-1)) return T(exponent % 2 ? -1 : 1);
    return T(base == T(1));
  }
  T result = 1;
  for (uint64_t left = exponent; left > 0; left /= 2) {
    if (left % 2) result = T(uint64_t(result) * uint64_t(base));
    base = T(uint64_t(base) * uint64_t(base));
  }
  return result;
}
// Values out of range are clamped, and NaN becomes zero.
template <class To, class From>
__device__ __forceinline__ To to_integer(From v, To low, To high) {
  if (v != v) return 0;
  if (v <= From(low)) return low;
  return v >= From(high) ? high : To(v);
}
