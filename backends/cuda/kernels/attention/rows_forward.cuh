#pragma once
#include "attention/rows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    to_weights(Arguments x, Acc* scores, int64_t first) {
  begin_kernel();
  const int64_t n = first + blockIdx.x / x.queries, query = blockIdx.x % x.queries;
  Acc* row = scores + blockIdx.x * x.keys;
  Acc most = -INFINITY_F;
  for (int64_t key = threadIdx.x; key < x.keys; key += 256) {
    const Acc score = scaled(x, n, query, key, row[key]);
    row[key] = score;
    most = score > most || score != score ? score : most;
  }
  most = over_block(most, true);
  Acc sum = 0;
  for (int64_t key = threadIdx.x; key < x.keys; key += 256) sum += row[key] = exp(row[key] - most);
  sum = over_block(sum, false);
  for (int64_t key = threadIdx.x; key < x.keys; key += 256) row[key] /= sum;
  if (threadIdx.x == 0) x.logs[n * x.queries + query] = most + log(sum);
}
