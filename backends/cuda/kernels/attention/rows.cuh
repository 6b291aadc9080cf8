// One block per row of scores, between two matrix products.
#pragma once
#include "attention/problem.cuh"

__device__ __forceinline__ Acc over_block(Acc x, bool largest) {
  __shared__ Acc warps[8];
  x = largest ? warp_max(x) : warp_sum(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
  for (int w = 1; w < 8; ++w)
    x = largest ? (warps[w] > x || warps[w] != warps[w] ? warps[w] : x) : x + warps[w];
  return x;
}
__device__ __forceinline__ Acc scaled(const Arguments& x, int64_t n, int64_t query, int64_t key,
                                      Acc score) {
  return sees(x, n, query, key) ? Acc(SCALE) * score : Acc(HIDDEN);
}
