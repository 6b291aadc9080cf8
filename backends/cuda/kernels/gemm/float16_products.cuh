// Matrix products of rows in registers and a tile in shared memory.
#pragma once
#include "gemm/float16_fragments.cuh"
#include "gemm/float16_tiles.cuh"
#include "ptx/wgmma.cuh"

// `sums` of the rows in registers (fragments `left`, over N numbers) and the STEP rows of a tile.
template <int N>
__device__ __forceinline__ void multiply_rows(float (&sums)[STEP / 8][4],
                                              const uint32_t (&left)[N / 16][4], const In* tile) {
#if ASYNCHRONOUS
  const uint32_t rows = described(tile);
#pragma unroll
  for (int k = 0; k < N / 16; ++k)
    warpgroup_mma<STEP, 0>(sums, left[k], rows + (k / 4 * STEP * 128 + k % 4 * 32) / 16, k > 0);
#else
#pragma unroll
  for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[j][i] = 0;
#pragma unroll
  for (int k = 0; k < N / 16; ++k)
#pragma unroll
    for (int j = 0; j < STEP / 16; ++j) {
      uint32_t right[2][2];
      load_along<N>(right, tile, j * 16, k * 16);
      mma(sums[2 * j], left[k], right[0]);
      mma(sums[2 * j + 1], left[k], right[1]);
    }
#endif
}
// result += weights (rows x STEP) times the STEP rows of N numbers of a tile.
template <int N>
__device__ __forceinline__ void add_product(float (&result)[N / 8][4],
                                            const uint32_t (&weights)[STEP / 16][4],
                                            const In* tile) {
#if ASYNCHRONOUS
  const uint32_t rows = described(tile);
#pragma unroll
  for (int k = 0; k < STEP / 16; ++k)
#pragma unroll
    for (int p = 0; p < N / 64; ++p)
      warpgroup_mma<64, 1>(result + p * 8, weights[k], rows + (p * STEP * 128 + k * 16 * 128) / 16,
                           1);
#else
#pragma unroll
  for (int k = 0; k < STEP / 16; ++k)
#pragma unroll
    for (int j = 0; j < N / 16; ++j) {
      uint32_t right[2][2];
      load_across<N>(right, tile, k * 16, j * 16);
      mma(result[2 * j], weights[k], right[0]);
      mma(result[2 * j + 1], weights[k], right[1]);
    }
#endif
}
