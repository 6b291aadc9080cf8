#pragma once
#include "normalization/softmax_row.cuh"

extern "C" __global__ void __launch_bounds__(256)
    softmax(const element_t* in, element_t* out, int64_t rows, int64_t n) {
  begin_kernel();
  int64_t r;
  const Row row = read_row(in, rows, n, r);
  const value_t scale = value_t(1) / row.sum;
  for (int64_t i = row.lane; i < row.n; i += lanes)
    out[r * n + i] = store<element_t>(exp(load(row.x[i]) - row.largest) * scale);
}
