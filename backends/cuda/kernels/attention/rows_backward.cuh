#pragma once
#include "attention/rows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    to_score_gradients(Arguments x, Acc* scores, Acc* of_weights, int64_t first) {
  begin_kernel();
  const int64_t n = first + blockIdx.x / x.queries, query = blockIdx.x % x.queries,
                at = n * x.queries + query;
  Acc mean = 0;
  for (int d = threadIdx.x; d < VALUES; d += 256)
    mean += load(x.out[at * VALUES + d]) * load(x.of_out[at * VALUES + d]);
  mean = over_block(mean, false);
  const Acc log = x.logs[at];
  Acc *row = scores + blockIdx.x * x.keys, *of_row = of_weights + blockIdx.x * x.keys;
  for (int64_t key = threadIdx.x; key < x.keys; key += 256) {
    const Acc weight = weight_of(scaled(x, n, query, key, row[key]), log, x.keys);
    row[key] = weight;
    of_row[key] = sees(x, n, query, key) ? Acc(SCALE) * weight * (of_row[key] - mean) : Acc(0);
  }
}
