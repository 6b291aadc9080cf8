#pragma once
#include "ptx/mma_any.cuh"

#if SIXTEEN_BIT
__device__ __forceinline__ uint32_t along_k(const In* p) { return *(const uint32_t*)p; }
__device__ __forceinline__ uint32_t across_k(const In* p, int stride) {
  return *(const uint16_t*)p | uint32_t(*(const uint16_t*)(p + stride)) << 16;
}
#else
// The tensor core drops the low 13 bits. Adding nearly half of their range first turns that into a
// rounding that is right on average, leaves exact values exact, and keeps NaN and infinity.
__device__ __forceinline__ uint32_t along_k(const In* p) { return __float_as_uint(*p * 1.00035f); }
__device__ __forceinline__ uint32_t across_k(const In* p, int) { return along_k(p); }
#endif
