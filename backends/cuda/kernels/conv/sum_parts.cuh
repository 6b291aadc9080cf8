#pragma once
#include "prelude.cuh"

// A block: 32 results, whose parts are distributed over its 32 warps.
extern "C" __global__ void sum_parts(const float* partial, T* dk, T* dbias, int64_t weights,
                                     int64_t size, int parts) {
  begin_kernel();
  __shared__ float sums[32][33];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t i = int64_t(blockIdx.x) * 32 + lane;
  float sum = 0;
  if (i < size)
    for (int part = warp; part < parts; part += 32) sum += partial[part * size + i];
  sums[warp][lane] = sum;
  __syncthreads();
  sum = warp_sum(sums[lane][warp]);
  const int64_t at = int64_t(blockIdx.x) * 32 + warp;
  if (lane != 0 || at >= size) return;
  if (at < weights)
    dk[at] = store<T>(sum);
  else
    dbias[at - weights] = store<T>(sum);
}
