#pragma once
#include "prelude.cuh"

// A copy by all threads of the grid, 16 bytes each if everything is aligned.
__device__ __forceinline__ void copy_by_all(const char* from, char* to, int64_t bytes) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x, n = gridDim.x * int64_t(blockDim.x);
  if (((uint64_t)from | (uint64_t)to | (uint64_t)bytes) % 16 == 0) {
    for (; i < bytes / 16; i += n) ((int4*)to)[i] = ((const int4*)from)[i];
  } else {
    for (; i < bytes; i += n) to[i] = from[i];
  }
}
