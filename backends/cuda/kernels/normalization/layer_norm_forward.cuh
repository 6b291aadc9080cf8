#pragma once
#include "normalization/layer_norm.cuh"

extern "C" __global__ void __launch_bounds__(256)
    normalise(const element_t* x, const column_t* gamma, const column_t* beta, element_t* y,
              row_t* means, row_t* factors, int aligned, value_t epsilon) {
  begin_kernel();
  for_rows([&](int64_t r, bool is_row) {
    value_t v[each * width];
    value_t sum = 0;
    for_packs([&](int p, int c) {
      const Pack in = load_vector<width>(x + r * columns + c, aligned);
      for (int i = 0; i < width; ++i) sum += v[p * width + i] = load(in.at[i]);
    });
    const value_t mean = sum_of_row(sum) / value_t(columns);
    value_t squares = 0;
    for_packs([&](int p, int) {
      for (int i = 0; i < width; ++i) {
        v[p * width + i] -= mean;
        squares += v[p * width + i] * v[p * width + i];
      }
    });
    const value_t factor = value_t(1) / sqrt(sum_of_row(squares) / value_t(columns) + epsilon);
    if (is_row)
      for_packs([&](int p, int c) {
        Pack out;
        for (int i = 0; i < width; ++i)
          out.at[i] = store<element_t>(v[p * width + i] * factor * value_t(load(gamma[c + i])) +
                                       value_t(load(beta[c + i])));
        if (aligned)
          store_vector(y + r * columns + c, out);
        else
          for (int i = 0; i < width; ++i) y[r * columns + c + i] = out.at[i];
      });
    if (is_row && lane() == 0) {
      means[r] = store<row_t>(mean);
      factors[r] = store<row_t>(factor);
    }
  });
}
