#pragma once
#include "reduce/join.cuh"

// A reduction over the block, or over each group of `lanes` lanes; all of them get the result.
__device__ __forceinline__ sum_t join_lanes(sum_t x) {
  for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
    x = join(x, __shfl_xor_sync(0xffffffffu, x, d));
  if (lanes <= 32) return x;
  __shared__ sum_t warps[threads / 32];
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
  for (int w = 1; w < threads / 32; ++w) x = join(x, warps[w]);
  return x;
}

extern "C" __global__ void __launch_bounds__(threads)
    reduce(const element_t* in, element_t* out, sum_t* parts, int64_t outputs, int64_t length,
           int aligned) {
  begin_kernel();
  const int lane = threadIdx.x % lanes;
  const index_t o = index_t(blockIdx.x) * (threads / lanes) + index_t(threadIdx.x / lanes);
  const index_t units = index_t(length) / width;
  const index_t share = (units + index_t(gridDim.y) - 1) / index_t(gridDim.y);
  const index_t begin = index_t(blockIdx.y) * share;
  const index_t end = o >= index_t(outputs) ? 0 : begin + share < units ? begin + share : units;
  const element_t* row = in + (o < index_t(outputs) ? kept_at(o) : 0);
  sum_t sum[width];
  for (int k = 0; k < width; ++k) sum[k] = IDENTITY;
#pragma unroll 4
  for (index_t u = begin + lane; u < end; u += lanes) {
    const auto x = load_vector<width>(row + reduced_at(u * width), aligned);
    for (int k = 0; k < width; ++k) sum[k] = join(sum[k], sum_t(load(x.at[k])));
  }
  for (int k = 1; k < width; ++k) sum[0] = join(sum[0], sum[k]);
  sum_t total = join_lanes(sum[0]);
  if (split) {
    const int blocks = gridDim.y;
    if (threadIdx.x == 0) parts[o * blocks + blockIdx.y] = total;
    if (!is_last_block(blockIdx.x, blocks)) return;
    volatile const sum_t* mine = parts + o * blocks;
    total = IDENTITY;
    for (int i = threadIdx.x; i < blocks; i += threads) total = join(total, mine[i]);
    total = join_lanes(total);
  }
  if (lane == 0 && o < index_t(outputs)) out[o] = store<element_t>(total);
}
