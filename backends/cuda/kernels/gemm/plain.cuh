// A plain GEMM for any floating-point type: a block computes 64 x 64 elements, a thread 4 x 4 of
// them.
#pragma once
#include "gemm/epilogue.cuh"

constexpr int TILE = 64, DEPTH = 16;
extern "C" __global__ void __launch_bounds__(256) gemm(Arguments x) {
  begin_kernel();
  __shared__ Acc a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
  const int64_t one = blockIdx.z * int64_t(gridDim.y) + blockIdx.y;  // index in the batch
  if (one >= x.batch) return;
  x.a += one * x.rows * x.inner;
  x.b += one * x.inner * x.columns;
  x.out += one * x.rows * x.columns;
  const int64_t tiles = (x.columns + TILE - 1) / TILE;
  const int64_t row = blockIdx.x / tiles * TILE, column = blockIdx.x % tiles * TILE;
  const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  Acc sums[4][4] = {};
  for (int64_t k = 0; k < x.inner; k += DEPTH) {
    for (int i = threadIdx.x; i < TILE * DEPTH; i += 256) {
      const int am = TRANS_A ? i % TILE : i / DEPTH, ak = TRANS_A ? i / TILE : i % DEPTH;
      const int bn = TRANS_B ? i / DEPTH : i % TILE, bk = TRANS_B ? i % DEPTH : i / TILE;
      const int64_t m = row + am, n = column + bn;
      a[ak][am] = m < x.rows && k + ak < x.inner
                      ? load(x.a[TRANS_A ? (k + ak) * x.rows + m : m * x.inner + k + ak])
                      : Acc(0);
      b[bk][bn] = n < x.columns && k + bk < x.inner
                      ? load(x.b[TRANS_B ? n * x.inner + k + bk : (k + bk) * x.columns + n])
                      : Acc(0);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < DEPTH; ++l) {
      Acc left[4], right[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) left[i] = a[l][ty + 16 * i], right[i] = b[l][tx + 16 * i];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int64_t m = row + ty + 16 * i, n = column + tx + 16 * j;
      const Acc value[1] = {sums[i][j]};
      if (m < x.rows && n < x.columns) finish<1>(x, rest_of<1>(x, m, n), value, m, n);
    }
#if BIAS_STEP
  if (row == 0 && threadIdx.x < TILE && column + threadIdx.x < x.columns) {
    Acc sum = 0;
    for (int64_t k = 0; k < x.inner; ++k) sum += load(x.b[k * x.columns + column + threadIdx.x]);
    finish_bias(x, sum, column + threadIdx.x);
  }
#endif
}
