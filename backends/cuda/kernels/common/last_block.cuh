#pragma once
#include "prelude.cuh"

// Launches of a function that counts blocks do not overlap, so one set of counters serves them all;
// the last block of a group leaves its counter at zero.
__device__ unsigned int arrived[2048];
// Where several blocks share a result: has this one come last?
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
