#pragma once
#include "indexing/row_values.cuh"

// Keras's formula as in adam_update: rows without values are updated, too.
struct States {
  element_t *weight, *m, *v, *new_weight, *new_m, *new_v;
};

extern "C" __global__ void __launch_bounds__(256)
    adam_update_rows(const element_t* values, const index_t* indices, const int* counts,
                     const int* ends, const int* places, const __grid_constant__ States s,
                     const element_t* step, int64_t count, int64_t width) {
  begin_kernel();
  const value_t take_m = value_t(TAKE_M), take_v = value_t(TAKE_V), small = value_t(EPSILON);
  const RowValues row(values, indices, counts, ends, places, blockIdx.x, count, width);
  const value_t step_size = load(step[0]);
  for (int64_t column = threadIdx.x; column < width; column += blockDim.x) {
    const int64_t i = blockIdx.x * width + column;
    const value_t gradient = row.sum(column), old_m = load(s.m[i]), old_v = load(s.v[i]);
    const value_t m = old_m + (gradient - old_m) * take_m,
                  v = old_v + (gradient * gradient - old_v) * take_v;
    s.new_weight[i] = store<element_t>(load(s.weight[i]) - m * step_size / (sqrt(v) + small));
    s.new_m[i] = store<element_t>(m);
    s.new_v[i] = store<element_t>(v);
  }
}
