// Attention for any type and size: one warp per query, and for the gradients of keys and values one
// warp per key.
#pragma once
#include "attention/problem.cuh"

template <int N>
__device__ __forceinline__ Acc dot(const In* a, const In* b) {
  Acc sum = 0;
  for (int d = 0; d < N; ++d) sum += load(a[d]) * load(b[d]);
  return sum;
}
__device__ __forceinline__ Acc score_of(const Arguments& x, int64_t n, int64_t query, int64_t key) {
  if (!sees(x, n, query, key)) return HIDDEN;
  return Acc(SCALE) *
         dot<SIZE>(x.q + (n * x.queries + query) * SIZE, x.k + (n * x.keys + key) * SIZE);
}
// row[d] += sum over the warp's lanes l of weight(l) * rows[l][d]; a lane has every 32nd d, `count`
// rows exist.
template <int N>
__device__ __forceinline__ void add_rows(Acc (&row)[(N + 31) / 32], Acc weight, const In* rows,
                                         int64_t count) {
  const int lane = threadIdx.x % 32;
  for (int l = 0; l < 32 && l < count; ++l) {
    const Acc w = __shfl_sync(0xffffffffu, weight, l);
    for (int i = 0; i * 32 + lane < N; ++i) row[i] += w * load(rows[l * N + i * 32 + lane]);
  }
}
template <int N>
__device__ __forceinline__ void write_row(In* to, const Acc (&row)[(N + 31) / 32], Acc factor) {
  const int lane = threadIdx.x % 32;
  for (int i = 0; i * 32 + lane < N; ++i) to[i * 32 + lane] = store<In>(row[i] * factor);
}
__device__ __forceinline__ int64_t warp_index() {
  return (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) / 32;
}
