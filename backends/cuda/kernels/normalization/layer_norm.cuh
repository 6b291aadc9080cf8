// Layer normalisation: a warp or a block per row, whose values stay in registers. In the backward
// pass a block accumulates the sums for gamma and beta over all its rows.
#pragma once
#include "common/vectors.cuh"

typedef Compute<element_t>::type value_t;
constexpr int packs = columns / width;
constexpr int each = (packs + lanes - 1) / lanes;  // packs per thread
typedef Vec<element_t, width> Pack;

__device__ __forceinline__ int lane() { return threadIdx.x % lanes; }
// f(index of the pack, its first column) for the packs of this thread.
template <class F>
__device__ __forceinline__ void for_packs(const F& f) {
#pragma unroll
  for (int p = 0; p < each; ++p)
    if (p * lanes + lane() < packs) f(p, (p * lanes + lane()) * width);
}
// f(row, does it exist?) for the rows of these threads. All threads of a block take part; those
// without a row use the last one.
template <class F>
__device__ __forceinline__ void for_rows(const F& f) {
  constexpr int at_once = 256 / lanes;
  for (int64_t first = int64_t(blockIdx.x) * at_once; first < rows;
       first += int64_t(gridDim.x) * at_once) {
    const int64_t r = first + threadIdx.x / lanes;
    f(r < rows ? r : rows - 1, r < rows);
  }
}
__device__ __forceinline__ value_t sum_of_row(value_t x) {
  for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, d);
  if (lanes <= 32) return x;
  __shared__ value_t warps[8];
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = 0;
  for (int w = 0; w < 8; ++w) x += warps[w];
  return x;
}
