#pragma once
#include "prelude.cuh"

extern "C" __global__ void transpose_kernel(const T* from, T* to, int rows, int columns) {
  begin_kernel();
  __shared__ T tile[32][33];
  const int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x % 32;
  for (int y = threadIdx.x / 32; y < 32; y += 8)
    if (top + y < rows && left + x < columns)
      tile[y][x] = from[int64_t(top + y) * columns + left + x];
  __syncthreads();
  for (int y = threadIdx.x / 32; y < 32; y += 8)
    if (left + y < columns && top + x < rows) to[int64_t(left + y) * rows + top + x] = tile[x][y];
}
