#pragma once
#include "ptx/mma_float16.cuh"

// Converts a warp's results, two neighbouring tiles of 8 columns each, to left operand fragments of
// 16.
template <int N>
__device__ __forceinline__ void as_left(uint32_t (&a)[N][4], const float (&d)[2 * N][4]) {
#pragma unroll
  for (int k = 0; k < N; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      a[k][i] = pair_of(d[2 * k + i / 2][i % 2 * 2], d[2 * k + i / 2][i % 2 * 2 + 1]);
}

// Loads a left operand fragment from global memory: 16 rows, of which `rows` exist, and columns
// from k on.
__device__ __forceinline__ void load_left(uint32_t (&a)[4], const In* m, int ld, int rows, int k) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = g + i % 2 * 8;
    a[i] = row < rows ? *(const uint32_t*)(m + row * ld + k + 2 * t + i / 2 * 8) : 0u;
  }
}
