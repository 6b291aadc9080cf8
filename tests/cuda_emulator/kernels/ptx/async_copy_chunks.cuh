// Synchronous copies.
#pragma once
#include "prelude.cuh"

template <int BYTES>
__device__ __forceinline__ void fetch(void* to, const void* from, bool inside) {
  for (int i = 0; i < BYTES; ++i) ((char*)to)[i] = inside ? ((const char*)from)[i] : 0;
}
__device__ __forceinline__ void end_of_slab() {}
template <int STILL_COMING>
__device__ __forceinline__ void wait_for_slab() {}
