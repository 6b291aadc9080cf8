#pragma once
#include "prelude.cuh"

// A block owns a row of the output and adds its values in order, so that results are reproducible.
// Indices are scanned 256 at a time.
typedef Compute<element_t>::type value_t;
extern "C" __global__ void __launch_bounds__(256)
    scatter_add(const element_t* values, const index_t* indices, element_t* out, int64_t count,
                int64_t width) {
  begin_kernel();
  __shared__ int hits[256];
  __shared__ int in_warp[8];
  const int64_t row = blockIdx.x, column = blockIdx.y * int64_t(256) + threadIdx.x;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  value_t sum = 0;
  for (int64_t first = 0; first < count; first += 256) {
    const int64_t i = first + threadIdx.x;
    const bool hit = i < count && int64_t(indices[i]) == row;
    const unsigned int mask = __ballot_sync(0xffffffffu, hit);
    if (lane == 0) in_warp[warp] = __popc(mask);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < 8; ++w) {
      if (w < warp) before += in_warp[w];
      all += in_warp[w];
    }
    if (hit) hits[before + __popc(mask & ((1u << lane) - 1))] = threadIdx.x;
    __syncthreads();
    if (column < width)
      for (int h = 0; h < all; ++h)
        sum = value_t(sum + load(values[(first + hits[h]) * width + column]));
    __syncthreads();
  }
  if (column < width) out[row * width + column] = store<element_t>(sum);
}
