#pragma once
#include "prelude.cuh"

// Each thread of a row gets the maximum and the sum of exponentials relative to it.
typedef Compute<element_t>::type value_t;
__device__ __forceinline__ value_t join(value_t a, value_t b, bool largest) {
  return largest ? (b > a || b != b ? b : a) : a + b;
}
__device__ __forceinline__ value_t across(value_t x, bool largest) {
  for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
    x = join(x, __shfl_xor_sync(0xffffffffu, x, d), largest);
  if (lanes <= 32) return x;
  __shared__ value_t warps[8];
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
  for (int w = 1; w < 8; ++w) x = join(x, warps[w], largest);
  return x;
}
struct Row {
  const element_t* x;
  int64_t n;  // 0: no row for these threads
  int lane;
  value_t largest, sum;
};
__device__ __forceinline__ Row read_row(const element_t* in, int64_t rows, int64_t n, int64_t& r) {
  r = blockIdx.x * int64_t(256 / lanes) + threadIdx.x / lanes;
  Row row;
  row.lane = threadIdx.x % lanes;
  row.n = r < rows ? n : 0;
  row.x = in + (r < rows ? r * n : 0);
  value_t m = -INFINITY_F;
  for (int64_t i = row.lane; i < row.n; i += lanes) m = join(m, load(row.x[i]), true);
  row.largest = across(m, true);
  value_t s = 0;
  for (int64_t i = row.lane; i < row.n; i += lanes) s += exp(load(row.x[i]) - row.largest);
  row.sum = across(s, false);
  return row;
}
