#pragma once
#include "normalization/layer_norm.cuh"

extern "C" __global__ void __launch_bounds__(256)
    differentiate(const element_t* dy, const element_t* x, const row_t* means, const row_t* factors,
                  const column_t* gamma, element_t* dx, value_t* parts, int aligned) {
  begin_kernel();
  value_t for_gamma[each * width] = {}, for_beta[each * width] = {};
  for_rows([&](int64_t r, bool is_row) {
    const value_t mean = load(means[r]), factor = load(factors[r]);
    value_t g[each * width], unit[each * width];
    value_t along_mean = 0, along_unit = 0;
    for_packs([&](int p, int c) {
      const Pack in = load_vector<width>(x + r * columns + c, aligned),
                 out = load_vector<width>(dy + r * columns + c, aligned);
      for (int i = 0; i < width; ++i) {
        const int k = p * width + i;
        const value_t gradient = load(out.at[i]);
        unit[k] = (load(in.at[i]) - mean) * factor;
        if (is_row) {
          for_gamma[k] += gradient * unit[k];
          for_beta[k] += gradient;
        }
        g[k] = gradient * value_t(load(gamma[c + i]));
        along_mean += g[k];
        along_unit += g[k] * unit[k];
      }
    });
    along_mean = sum_of_row(along_mean) / value_t(columns);
    along_unit = sum_of_row(along_unit) / value_t(columns);
    if (is_row)
      for_packs([&](int p, int c) {
        Pack out;
        for (int i = 0; i < width; ++i)
          out.at[i] = store<element_t>(
              factor * (g[p * width + i] - along_mean - unit[p * width + i] * along_unit));
        if (aligned)
          store_vector(dx + r * columns + c, out);
        else
          for (int i = 0; i < width; ++i) dx[r * columns + c + i] = out.at[i];
      });
  });
  // The block's rows, one after the other.
  value_t* own = parts + int64_t(blockIdx.x) * 2 * columns;
  for (int turn = 0; turn < 256 / lanes; ++turn) {
    if (threadIdx.x / lanes == turn)
      for_packs([&](int p, int c) {
        for (int i = 0; i < width; ++i) {
          own[c + i] = (turn ? own[c + i] : value_t(0)) + for_gamma[p * width + i];
          own[columns + c + i] =
              (turn ? own[columns + c + i] : value_t(0)) + for_beta[p * width + i];
        }
      });
    __syncthreads();
  }
}

// One warp per column sum.
extern "C" __global__ void __launch_bounds__(256)
    join(const value_t* parts, int blocks, column_t* dgamma, column_t* dbeta) {
  begin_kernel();
  const int at = blockIdx.x * 8 + threadIdx.x / 32;
  value_t sum = 0;
  if (at < 2 * columns)
    for (int b = threadIdx.x % 32; b < blocks; b += 32) sum += parts[int64_t(b) * 2 * columns + at];
  sum = warp_sum(sum);
  if (at < 2 * columns && threadIdx.x % 32 == 0)
    (at < columns ? dgamma : dbeta)[at % columns] = store<column_t>(sum);
}
