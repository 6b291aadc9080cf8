#pragma once
#include "normalization/batch_norm.cuh"

// Relative to the first row, so that a large mean does not cancel the variance.
extern "C" __global__ void __launch_bounds__(256)
    sum_up(int64_t rows, int64_t channels, const element_t* x, value_t* parts, int aligned) {
  begin_kernel();
  const int64_t c = first_channel();
  value_t first[width] = {}, second[width] = {};
  if (c < channels) {
    value_t base[width];
    for (int i = 0; i < width; ++i) base[i] = load(x[c + i]);
    for_rows(rows, [&](int64_t r) {
      const Pack in = pack_at(x + r * channels + c, aligned);
      for (int i = 0; i < width; ++i) {
        const value_t above = load(in.at[i]) - base[i];
        first[i] += above;
        second[i] += above * above;
      }
    });
  }
  leave(first, second, parts, channels);
}

extern "C" __global__ void __launch_bounds__(256)
    join(int64_t rows, int64_t channels, const element_t* x, const value_t* parts, int blocks,
         row_t* mean, row_t* variance) {
  begin_kernel();
  const int64_t c = joined_channel();
  const value_t above = joined(parts, blocks, 0, c, channels) / value_t(rows);
  const value_t spread = joined(parts, blocks, 1, c, channels) / value_t(rows) - above * above;
  if (threadIdx.x >= 8 || c >= channels) return;
  mean[c] = store<row_t>(load(x[c]) + above);
  variance[c] = store<row_t>(spread > 0 ? spread : value_t(0));
}

extern "C" __global__ void __launch_bounds__(256)
    normalise(int64_t rows, int64_t channels, const element_t* x, const row_t* gamma,
              const row_t* beta, const row_t* mean, const row_t* variance, const element_t* added,
              element_t* y, int aligned, value_t epsilon) {
  begin_kernel();
  const int64_t c = first_channel();
  if (c >= channels) return;
  value_t centre[width], scale[width], shift[width];
  for (int i = 0; i < width; ++i) {
    centre[i] = load(mean[c + i]);
    scale[i] = load(gamma[c + i]) / sqrt(value_t(load(variance[c + i])) + epsilon);
    shift[i] = load(beta[c + i]);
  }
  for_rows(rows, [&](int64_t r) {
    const Pack in = pack_at(x + r * channels + c, aligned);
    Pack out, more;
    if (residual) more = pack_at(added + r * channels + c, aligned);
    for (int i = 0; i < width; ++i) {
      value_t v = (load(in.at[i]) - centre[i]) * scale[i] + shift[i];
      if (residual) v += load(more.at[i]);
      if (relu && v < 0) v = 0;
      out.at[i] = store<element_t>(v);
    }
    put(y + r * channels + c, out, aligned);
  });
}
