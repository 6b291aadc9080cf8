#pragma once
#include "gemm/epilogue.cuh"

// Split-k with few elements and many parts: a warp adds up each group, lane by lane and then across
// lanes, always in the same order.
extern "C" __global__ void __launch_bounds__(256) finish_product(Arguments x, int64_t splits) {
  begin_kernel();
  const int64_t size = x.rows * x.columns, stride = gridDim.x * int64_t(blockDim.x) / LANES * WIDTH;
  const int lane = threadIdx.x % LANES;
  for (int64_t at = (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) / LANES * WIDTH; at < size;
       at += stride) {
    const int64_t row = at / x.columns, column = at % x.columns;
    const Rest<WIDTH> rest = rest_of<WIDTH>(x, row, column);
    Acc sums[WIDTH] = {};
    for (int64_t s = lane; s < splits; s += LANES) {
      const Pack<Part, WIDTH> part = pack_at<WIDTH>((const Part*)x.partial + s * size + at);
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) sums[i] += load(part.at[i]);
    }
    if (LANES > 1)
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) sums[i] = warp_sum(sums[i]);
    if (lane == 0) finish<WIDTH>(x, rest, sums, row, column);
  }
}
