// A warp's matrix product, computed from the fragments of its lanes.
#pragma once
#include "prelude.cuh"

__device__ inline float half_of(uint32_t pair, int which) {
  In x;
  x.bits = uint16_t(pair >> 16 * which);
  return load(x);
}

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  uint32_t left[2][32][2], right[32][2];
  for (int high = 0; high < 2; ++high) emulated_gather(a[2 * high], a[2 * high + 1], left[high]);
  emulated_gather(b[0], b[1], right);
  for (int k = 0; k < 16; ++k)
    for (int i = 0; i < 4; ++i)
      d[i] += half_of(left[k / 8][4 * g + k % 8 / 2][i / 2], k % 2) *
              half_of(right[4 * (2 * t + i % 2) + k % 8 / 2][k / 8], k % 2);
}

__device__ __forceinline__ uint32_t pair_of(float low, float high) {
  return uint32_t(store<In>(low).bits) | uint32_t(store<In>(high).bits) << 16;
}
