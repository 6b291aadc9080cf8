#pragma once
#include "prelude.cuh"

// Launches of a function that counts blocks do not overlap, so all use one set of counters; the
// last block of a group resets its counter to zero.
__device__ unsigned int arrived[2048];
// If several blocks share a result: is this the last one to arrive?
__device__ __forceinline__ bool is_last_block(int group, int blocks) {
  __shared__ int last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(&arrived[group], 1u) == (unsigned int)(blocks - 1);
    if (last) arrived[group] = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}
