#pragma once
#include "common/last_block.cuh"
#include "gemm/epilogue.cuh"

// Updates the bias by the sums of b's rows. A warp reads 16 bytes per lane of every 32nd row of its
// block's part; the last block of a strip of columns adds up the partial sums in `partial`.
constexpr int VECTOR = COLUMN_VECTOR, STRIP = 32 * VECTOR;
extern "C" __global__ void __launch_bounds__(1024) step_bias(Arguments x, Acc* parts) {
  begin_kernel();
  __shared__ Acc held[32][STRIP];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t strip = int64_t(blockIdx.x) * STRIP, column = strip + lane * VECTOR;
  Acc sums[VECTOR] = {};
  if (column < x.columns)
#pragma unroll 8
    for (int64_t k = blockIdx.y * 32 + warp; k < x.inner; k += gridDim.y * 32) {
      const Pack<In, VECTOR> row = pack_at<VECTOR>(x.b + k * x.columns + column);
#pragma unroll
      for (int i = 0; i < VECTOR; ++i) sums[i] += load(row.at[i]);
    }
#pragma unroll
  for (int i = 0; i < VECTOR; ++i) held[warp][lane * VECTOR + i] = sums[i];
  __syncthreads();
  const int own = threadIdx.x % STRIP, group = threadIdx.x / STRIP;
  const bool inside = strip + own < x.columns;
  Acc sum = 0;
  if (group == 0)
    for (int w = 0; w < 32; ++w) sum += held[w][own];
  if (group == 0 && inside) parts[blockIdx.y * x.columns + strip + own] = sum;
  if (gridDim.y > 1 && !is_last_block(blockIdx.x, gridDim.y)) return;
  __syncthreads();
  sum = 0;
  if (inside)
#pragma unroll 8
    for (int y = group; y < gridDim.y; y += 1024 / STRIP)
      sum += ((volatile Acc*)parts)[y * x.columns + strip + own];
  held[group][own] = sum;
  __syncthreads();
  if (group > 0 || !inside) return;
  for (int g = 1; g < 1024 / STRIP; ++g) sum += held[g][own];
  finish_bias(x, sum, strip + own);
}
