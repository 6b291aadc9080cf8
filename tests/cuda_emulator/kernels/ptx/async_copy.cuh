// Synchronous copies.
#pragma once
#include "prelude.cuh"

template <int BYTES>
__device__ __forceinline__ void fetch(void* to, const void* from, bool inside) {
  for (int i = 0; i < BYTES / 4; ++i) ((uint32_t*)to)[i] = inside ? ((const uint32_t*)from)[i] : 0u;
}
__device__ __forceinline__ void end_of_group() {}
template <int STILL_COMING>
__device__ __forceinline__ void wait_for_group() {}
