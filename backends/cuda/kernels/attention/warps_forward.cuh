#pragma once
#include "attention/warps.cuh"

extern "C" __global__ void __launch_bounds__(256) attention(Arguments x) {
  begin_kernel();
  const int64_t at = warp_index(), n = at / x.queries, query = at % x.queries;
  if (n >= x.count) return;
  const int lane = threadIdx.x % 32;
  Acc most = -INFINITY_F;
  for (int64_t key = lane; key < x.keys; key += 32) {
    const Acc score = score_of(x, n, query, key);
    most = score > most || score != score ? score : most;
  }
  most = warp_max(most);
  Acc sum = 0, row[(VALUES + 31) / 32] = {};
  for (int64_t first = 0; first < x.keys; first += 32) {
    const int64_t key = first + lane;
    const Acc weight = key < x.keys ? exp(score_of(x, n, query, key) - most) : Acc(0);
    sum += weight;
    add_rows<VALUES>(row, weight, x.v + (n * x.keys + first) * VALUES, x.keys - first);
  }
  sum = warp_sum(sum);
  write_row<VALUES>(x.out + at * VALUES, row, Acc(1) / sum);
  if (lane == 0) x.logs[at] = most + log(sum);
}
