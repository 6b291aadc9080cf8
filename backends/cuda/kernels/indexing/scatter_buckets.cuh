#pragma once
#include "indexing/row_values.cuh"

extern "C" __global__ void __launch_bounds__(256)
    add_values(const element_t* values, const index_t* indices, const int* counts, const int* ends,
               const int* places, element_t* out, int64_t count, int64_t width) {
  begin_kernel();
  const RowValues row(values, indices, counts, ends, places, blockIdx.x, count, width);
  for (int64_t column = threadIdx.x; column < width; column += blockDim.x)
    out[blockIdx.x * width + column] = store<element_t>(row.sum(column));
}
