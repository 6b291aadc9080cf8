// A warp's matrix product, computed from the fragments of its lanes.
#pragma once
#include "prelude.cuh"

__device__ __forceinline__ float to_tf32(float x) {
  const uint32_t bits = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
  return x == x ? __uint_as_float(bits) : x;
}

__device__ __forceinline__ void mma_tf32(float (&d)[4], const float (&a)[4], const float (&b)[2]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  uint32_t left[2][32][2], right[32][2];
  for (int high = 0; high < 2; ++high)
    emulated_gather(__float_as_uint(a[2 * high]), __float_as_uint(a[2 * high + 1]), left[high]);
  emulated_gather(__float_as_uint(b[0]), __float_as_uint(b[1]), right);
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 4; ++i)
      d[i] += __uint_as_float(left[k / 4][4 * g + k % 4][i / 2]) *
              __uint_as_float(right[4 * (2 * t + i % 2) + k % 4][k / 4]);
}
