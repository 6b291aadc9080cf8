#pragma once
#include "prelude.cuh"

// A transpose through shared memory in tiles of 32 by 32, so that reads and writes are both
// coalesced. x is the contiguous axis of `from`, y that of `to`.
extern "C" __global__ void __launch_bounds__(256)
    move(const unit_t* from, unit_t* to, int64_t outers) {
  begin_kernel();
  __shared__ unit_t tile[32][33];
  const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
  const index_t x0 = index_t(blockIdx.x % x_tiles) * 32, y0 = index_t(blockIdx.x / x_tiles) * 32;
  for (index_t o = blockIdx.y; o < index_t(outers); o += gridDim.y) {
    const unit_t* source = from + from_outer(o);
    unit_t* target = to + to_outer(o);
    for (int k = ty; k < 32; k += 8)
      if (x0 + tx < x_size && y0 + k < y_size) tile[k][tx] = source[x0 + tx + (y0 + k) * y_from];
    __syncthreads();
    for (int k = ty; k < 32; k += 8)
      if (y0 + tx < y_size && x0 + k < x_size) target[y0 + tx + (x0 + k) * x_to] = tile[tx][k];
    __syncthreads();
  }
}
