#pragma once
#include "attention/warps.cuh"

struct ScoreGradient {
  Acc weight, of_score;
};
__device__ __forceinline__ ScoreGradient score_gradient_of(const Arguments& x, int64_t n,
                                                           int64_t query, int64_t key) {
  const int64_t at = n * x.queries + query;
  ScoreGradient s;
  s.weight = weight_of(score_of(x, n, query, key), x.logs[at], x.keys);
  const Acc of_weight = dot<VALUES>(x.of_out + at * VALUES, x.v + (n * x.keys + key) * VALUES);
  s.of_score = sees(x, n, query, key) ? Acc(SCALE) * s.weight * (of_weight - x.delta[at]) : Acc(0);
  return s;
}
extern "C" __global__ void __launch_bounds__(256) means(Arguments x) {
  begin_kernel();
  const int64_t at = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (at < x.count * x.queries)
    x.delta[at] = dot<VALUES>(x.out + at * VALUES, x.of_out + at * VALUES);
}
extern "C" __global__ void __launch_bounds__(256) of_queries(Arguments x) {
  begin_kernel();
  const int64_t at = warp_index(), n = at / x.queries, query = at % x.queries;
  if (n >= x.count) return;
  Acc row[(SIZE + 31) / 32] = {};
  for (int64_t first = 0; first < x.keys; first += 32) {
    const int64_t key = first + threadIdx.x % 32;
    const Acc of_score = key < x.keys ? score_gradient_of(x, n, query, key).of_score : Acc(0);
    add_rows<SIZE>(row, of_score, x.k + (n * x.keys + first) * SIZE, x.keys - first);
  }
  write_row<SIZE>(x.of_q + at * SIZE, row, 1);
}
extern "C" __global__ void __launch_bounds__(256) of_keys(Arguments x) {
  begin_kernel();
  const int64_t at = warp_index(), n = at / x.keys, key = at % x.keys;
  if (n >= x.count) return;
  Acc of_k[(SIZE + 31) / 32] = {}, of_v[(VALUES + 31) / 32] = {};
  for (int64_t first = 0; first < x.queries; first += 32) {
    const int64_t query = first + threadIdx.x % 32, rows = n * x.queries + first;
    ScoreGradient s = {};
    if (query < x.queries) s = score_gradient_of(x, n, query, key);
    add_rows<SIZE>(of_k, s.of_score, x.q + rows * SIZE, x.queries - first);
    add_rows<VALUES>(of_v, s.weight, x.of_out + rows * VALUES, x.queries - first);
  }
  write_row<SIZE>(x.of_k + at * SIZE, of_k, 1);
  write_row<VALUES>(x.of_v + at * VALUES, of_v, 1);
}
