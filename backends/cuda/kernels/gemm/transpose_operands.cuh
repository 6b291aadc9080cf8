#pragma once
#include "common/last_block.cuh"
#include "gemm/epilogue.cuh"

// A thread transposes 4 x 4 elements in registers. A warp reads 32 rows of 64 bytes and writes 16
// of 128, four times along the columns.
constexpr int DOWN = 256, ACROSS = 64, STEPS = ACROSS / 16;
struct Square {
  Pack<float, 4> row[4];
};
__device__ __forceinline__ Square square_at(const float* from, int64_t width, bool inside) {
  Square x = {};
#pragma unroll
  for (int r = 0; r < 4; ++r)
    if (inside) x.row[r] = pack_at<4>(from + r * width);
  return x;
}
__device__ __forceinline__ void write_transposed(const Square& x, float* to, int64_t inner) {
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    const Pack<float, 4> column = {x.row[0].at[c], x.row[1].at[c], x.row[2].at[c], x.row[3].at[c]};
    *(Pack<float, 4>*)(to + c * inner) = column;
  }
}
#if BIAS_STEP
// Sums over a warp's 32 rows, in the lanes of its first rows.
__device__ __forceinline__ float down_the_warp(float x) {
  for (int d = 1; d < 8; d *= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
// Updates the bias for the columns of a tile; the last tile of a column adds up all partial sums.
__device__ __forceinline__ void step_bias(const Arguments& x, const Square (&squares)[STEPS],
                                          float* sums, int tiles_down, int down, int across) {
  __shared__ float held[8][ACROSS];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, own = threadIdx.x;
  const int64_t column = int64_t(across) * ACROSS + own;
#pragma unroll
  for (int s = 0; s < STEPS; ++s)
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      float sum = 0;
      for (int r = 0; r < 4; ++r) sum += squares[s].row[r].at[c];
      sum = down_the_warp(sum);
      if (lane % 8 == 0) held[warp][s * 16 + lane / 8 * 4 + c] = sum;
    }
  __syncthreads();
  float sum = 0;
  const bool runs = own < ACROSS && column < x.columns;
  for (int w = 0; runs && w < 8; ++w) sum += held[w][own];
  if (runs) sums[down * x.columns + column] = sum;
  if (!is_last_block(across, tiles_down) || !runs) return;
  sum = 0;
#pragma unroll 8
  for (int t = 0; t < tiles_down; ++t) sum += ((volatile float*)sums)[t * x.columns + column];
  finish_bias(x, sum, column);
}
#endif
extern "C" __global__ void __launch_bounds__(256)
    transpose_operands(Arguments x, float* a, float* b, float* sums, int tiles_of_a,
                       int tiles_down) {
  begin_kernel();
  const bool is_a = blockIdx.x < tiles_of_a;
  const int tile = is_a ? blockIdx.x : blockIdx.x - tiles_of_a, down = tile % tiles_down,
            across = tile / tiles_down;
  const float* const from = is_a ? x.a : x.b;
  float* const to = is_a ? a : b;
  const int64_t width = is_a ? x.rows : x.columns;
  const int64_t row = int64_t(down) * DOWN + threadIdx.x / 32 * 32 + threadIdx.x % 8 * 4;
  const int64_t column = int64_t(across) * ACROSS + threadIdx.x % 32 / 8 * 4;
  Square squares[STEPS];
#pragma unroll
  for (int s = 0; s < STEPS; ++s)
    squares[s] = square_at(from + row * width + column + 16 * s, width,
                           row < x.inner && column + 16 * s < width);
#pragma unroll
  for (int s = 0; s < STEPS; ++s)
    if (row < x.inner && column + 16 * s < width)
      write_transposed(squares[s], to + (column + 16 * s) * x.inner + row, x.inner);
#if BIAS_STEP
  if (!is_a) step_bias(x, squares, sums, tiles_down, down, across);
#endif
}
