#pragma once
#include "indexing/row_values.cuh"

extern "C" __global__ void __launch_bounds__(256)
    subtract_rows(const element_t* values, const index_t* indices, const int* counts,
                  const int* ends, const int* places, element_t* table, int64_t count,
                  int64_t width) {
  begin_kernel();
  const RowValues row(values, indices, counts, ends, places, blockIdx.x, count, width);
  if (row.here == 0) return;
  for (int64_t column = threadIdx.x; column < width; column += blockDim.x) {
    element_t& at = table[blockIdx.x * width + column];
    at = store<element_t>(load(at) - row.sum(column));
  }
}
