#pragma once
#include "reduce/join.cuh"

constexpr int rows = threads / lanes;  // read at once

// Reduces the values of a column's threads; the first row has the result.
__device__ __forceinline__ void join_rows(sum_t (&sum)[width], int x, int y) {
  __shared__ sum_t tile[rows * lanes * width];
  sum_t* mine = tile + (y * lanes + x) * width;
  __syncthreads();
  if (y < rows)
    for (int k = 0; k < width; ++k) mine[k] = sum[k];
  __syncthreads();
  for (int left = rows; left > 1; left = (left + 1) / 2) {
    const int half = (left + 1) / 2;
    if (y < left - half)
      for (int k = 0; k < width; ++k) mine[k] = join(mine[k], mine[half * lanes * width + k]);
    __syncthreads();
  }
  for (int k = 0; k < width; ++k) sum[k] = tile[x * width + k];
}

extern "C" __global__ void __launch_bounds__(threads)
    reduce(const element_t* in, element_t* out, sum_t* parts, int64_t outputs, int64_t length,
           int aligned) {
  begin_kernel();
  constexpr index_t tiles = (inner + lanes * width - 1) / (lanes * width);
  const int x = threadIdx.x % lanes, y = threadIdx.x / lanes;
  const index_t o = index_t(blockIdx.x) / tiles;
  const index_t column = (index_t(blockIdx.x) % tiles * lanes + x) * width;
  const index_t share = (index_t(length) + index_t(gridDim.y) - 1) / index_t(gridDim.y);
  const index_t begin = index_t(blockIdx.y) * share;
  const index_t end = begin + share < index_t(length) ? begin + share : index_t(length);
  const bool reads = y < rows && column < inner;
  const element_t* from = in + kept_at(o) + column;
  sum_t sum[width];
  for (int k = 0; k < width; ++k) sum[k] = IDENTITY;
  if (reads) {
#pragma unroll 4
    for (index_t r = begin + y; r < end; r += rows) {
      const auto v = load_vector<width>(from + reduced_at(r), aligned);
      for (int k = 0; k < width; ++k) sum[k] = join(sum[k], sum_t(load(v.at[k])));
    }
  }
  join_rows(sum, x, y);
  if (split) {
    const int blocks = gridDim.y;
    sum_t* group = parts + index_t(blockIdx.x) * blocks * (lanes * width) + x * width;
    if (y == 0)
      for (int k = 0; k < width; ++k) group[index_t(blockIdx.y) * (lanes * width) + k] = sum[k];
    if (!is_last_block(blockIdx.x, blocks)) return;
    for (int k = 0; k < width; ++k) sum[k] = IDENTITY;
    if (y < rows)
      for (int b = y; b < blocks; b += rows)
        for (int k = 0; k < width; ++k)
          sum[k] = join(sum[k], ((volatile sum_t*)group)[b * (lanes * width) + k]);
    join_rows(sum, x, y);
  }
  if (y == 0 && column < inner)
    for (int k = 0; k < width; ++k) out[o * inner + column + k] = store<element_t>(sum[k]);
}
