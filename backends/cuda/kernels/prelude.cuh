// Included before every kernel: fixed-size types, storage of float16 and bfloat16, warp reductions.
#pragma once

// NVRTC has no standard headers.
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <cstdint>
#endif

#include "ptx/float16.cuh"
#include "ptx/launch.cuh"

#define DEVICE __device__ __forceinline__

#define INFINITY_F __int_as_float(0x7f800000)
#define NAN_F __int_as_float(0x7fffffff)

struct float16 {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};

// The compute type of a stored element: float for float16 and bfloat16, otherwise the same.
template <class T>
struct Compute {
  typedef T type;
};
template <>
struct Compute<float16> {
  typedef float type;
};
template <>
struct Compute<bfloat16> {
  typedef float type;
};

template <class T>
__device__ __forceinline__ typename Compute<T>::type load(const T& x) {
  return x;
}
__device__ __forceinline__ float load(const float16& x) { return float_of_half(x.bits); }
__device__ __forceinline__ float load(const bfloat16& x) {
  return __uint_as_float(uint32_t(x.bits) << 16);
}

template <class T>
struct Store {
  template <class V>
  static __device__ __forceinline__ T of(V v) {
    return T(v);
  }
};
template <>
struct Store<float16> {
  static __device__ __forceinline__ float16 of(float v) { return float16{half_of_float(v)}; }
};
template <>
struct Store<bfloat16> {
  static __device__ __forceinline__ bfloat16 of(float v) { return bfloat16{bfloat_of_float(v)}; }
};
template <class T, class V>
__device__ __forceinline__ T store(V v) {
  return Store<T>::of(v);
}

template <class T>
__device__ __forceinline__ T warp_sum(T x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
template <class T>
__device__ __forceinline__ T warp_max(T x) {
  for (int d = 16; d > 0; d /= 2) {
    T y = __shfl_xor_sync(0xffffffffu, x, d);
    x = y > x || y != y ? y : x;
  }
  return x;
}
