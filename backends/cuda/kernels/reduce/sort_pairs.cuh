// The sort keys: pairs of an element as an unsigned number in the same order, and its position.
#pragma once
#include "prelude.cuh"

__device__ __forceinline__ uint32_t key_of(int32_t x) { return uint32_t(x) ^ 0x80000000u; }
__device__ __forceinline__ uint64_t key_of(int64_t x) {
  return uint64_t(x) ^ 0x8000000000000000ull;
}
// NaN is the largest, and -0 is 0.
__device__ __forceinline__ uint32_t key_of(float x) {
  const uint32_t bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0xffffffffu;
  return bits > 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ uint64_t key_of(double x) {
  const uint64_t bits = __double_as_longlong(x);
  if ((bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull) return 0xffffffffffffffffull;
  return bits > 0x8000000000000000ull ? ~bits : bits | 0x8000000000000000ull;
}

#if WIDE_KEYS
typedef uint64_t ordered_t;
struct pair_t {
  ordered_t key;
  uint32_t position;
};
__device__ __forceinline__ pair_t pair_of(ordered_t key, uint32_t position) {
  return pair_t{key, position};
}
__device__ __forceinline__ uint32_t position_of(const pair_t& pair) { return pair.position; }
__device__ __forceinline__ bool comes_before(const pair_t& a, const pair_t& b) {
  return a.key < b.key || (a.key == b.key && a.position < b.position);
}
#else
typedef uint32_t ordered_t;
typedef uint64_t pair_t;
__device__ __forceinline__ pair_t pair_of(ordered_t key, uint32_t position) {
  return uint64_t(key) << 32 | position;
}
__device__ __forceinline__ uint32_t position_of(pair_t pair) { return uint32_t(pair); }
__device__ __forceinline__ bool comes_before(pair_t a, pair_t b) { return a < b; }
#endif
