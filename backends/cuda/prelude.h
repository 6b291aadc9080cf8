#pragma once

namespace stoker::cuda {

// Stands in front of every kernel's text. NVRTC has no headers of its own to rely on.
inline constexpr const char* prelude = R"cuda(
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

// The first thing that every kernel does: it waits until the memory of the kernels before it is
// written, and touches nothing of theirs before. Then the next one may get ready, unless this one's
// blocks need all the room there is: they are as many as an H200 has multiprocessors, or fewer.
__device__ __forceinline__ void begin_kernel() {
#if !defined(STOKER_EMULATED) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (gridDim.x * gridDim.y * gridDim.z <= 132)
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#define INFINITY_F __int_as_float(0x7f800000)
#define NAN_F __int_as_float(0x7fffffff)

struct float16 { uint16_t bits; };
struct bfloat16 { uint16_t bits; };

// What a stored element is computed in: halves in float, everything else as it is.
template <class T> struct Compute { typedef T type; };
template <> struct Compute<float16> { typedef float type; };
template <> struct Compute<bfloat16> { typedef float type; };

#ifdef STOKER_EMULATED
__device__ __forceinline__ float float_of_half(uint16_t bits) {
  _Float16 h;
  __builtin_memcpy(&h, &bits, sizeof h);
  return h;
}
__device__ __forceinline__ uint16_t half_of_float(float v) {
  const _Float16 h = _Float16(v);
  uint16_t bits;
  __builtin_memcpy(&bits, &h, sizeof h);
  return bits;
}
__device__ __forceinline__ uint16_t bfloat_of_float(float v) {
  const uint32_t u = __float_as_uint(v);
  return v != v ? 0x7fff : uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
#else
__device__ __forceinline__ float float_of_half(uint16_t bits) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
  return f;
}
__device__ __forceinline__ uint16_t half_of_float(float v) {
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
  return bits;
}
__device__ __forceinline__ uint16_t bfloat_of_float(float v) {
  uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(v));
  return bits;
}
#endif

template <class T> __device__ __forceinline__ typename Compute<T>::type load(const T& x) { return x; }
__device__ __forceinline__ float load(const float16& x) { return float_of_half(x.bits); }
__device__ __forceinline__ float load(const bfloat16& x) {
  return __uint_as_float(uint32_t(x.bits) << 16);
}

template <class T> struct Store {
  template <class V> static __device__ __forceinline__ T of(V v) { return T(v); }
};
template <> struct Store<float16> {
  static __device__ __forceinline__ float16 of(float v) {
    return float16{half_of_float(v)};
  }
};
template <> struct Store<bfloat16> {
  static __device__ __forceinline__ bfloat16 of(float v) {
    return bfloat16{bfloat_of_float(v)};
  }
};
template <class T, class V> __device__ __forceinline__ T store(V v) { return Store<T>::of(v); }

template <class T> __device__ __forceinline__ T warp_sum(T x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
template <class T> __device__ __forceinline__ T warp_max(T x) {
  for (int d = 16; d > 0; d /= 2) { T y = __shfl_xor_sync(0xffffffffu, x, d); x = y > x || y != y ? y : x; }
  return x;
}
)cuda";

}  // namespace stoker::cuda
