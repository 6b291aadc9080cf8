#pragma once
#include "normalization/softmax_row.cuh"

// A label out of range gives NaN.
extern "C" __global__ void __launch_bounds__(256)
    cross_entropy(const label_t* labels, const element_t* in, element_t* out, int64_t rows,
                  int64_t n) {
  begin_kernel();
  int64_t r;
  const Row row = read_row(in, rows, n, r);
  if (row.n == 0 || row.lane != 0) return;
  const int64_t label = labels[r];
  const bool bad = label < 0 || label >= n;
  const value_t loss = log(row.sum) - (load(row.x[bad ? 0 : label]) - row.largest);
  out[r] = store<element_t>(bad ? value_t(NAN_F) : loss);
}
