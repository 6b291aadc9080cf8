#pragma once
#include "normalization/batch_norm.cuh"

struct Channels {
  value_t centre[width], deviation[width], scale[width], shift[width];
  __device__ __forceinline__ Channels(int64_t c, const row_t* mean, const row_t* variance,
                                      const row_t* gamma, const row_t* beta, value_t epsilon) {
    for (int i = 0; i < width; ++i) {
      centre[i] = load(mean[c + i]);
      deviation[i] = sqrt(value_t(load(variance[c + i])) + epsilon);
      scale[i] = load(gamma[c + i]) / deviation[i];
      shift[i] = load(beta[c + i]);
    }
  }
  // The gradient through the relu, and x minus its mean.
  __device__ __forceinline__ value_t passed(int i, element_t dy, element_t x,
                                            value_t& above) const {
    above = load(x) - centre[i];
    return relu && !(above * scale[i] + shift[i] > 0) ? value_t(0) : load(dy);
  }
};

extern "C" __global__ void __launch_bounds__(256)
    sum_up(int64_t rows, int64_t channels, const element_t* dy, const element_t* x,
           const row_t* mean, const row_t* variance, const row_t* gamma, const row_t* beta,
           value_t* parts, int aligned, value_t epsilon) {
  begin_kernel();
  const int64_t c = first_channel();
  value_t first[width] = {}, second[width] = {};
  if (c < channels) {
    const Channels of(c, mean, variance, gamma, beta, epsilon);
    for_rows(rows, [&](int64_t r) {
      const Pack g = pack_at(dy + r * channels + c, aligned),
                 in = pack_at(x + r * channels + c, aligned);
      for (int i = 0; i < width; ++i) {
        value_t above;
        const value_t gradient = of.passed(i, g.at[i], in.at[i], above);
        first[i] += gradient;
        second[i] += gradient * above;
      }
    });
  }
  leave(first, second, parts, channels);
}

// sums: both, joined, for the next kernel.
extern "C" __global__ void __launch_bounds__(256)
    join(int64_t, int64_t channels, const value_t* parts, int blocks, const row_t* variance,
         value_t* sums, row_t* dgamma, row_t* dbeta, value_t epsilon) {
  begin_kernel();
  const int64_t c = joined_channel();
  const value_t first = joined(parts, blocks, 0, c, channels),
                second = joined(parts, blocks, 1, c, channels);
  if (threadIdx.x >= 8 || c >= channels) return;
  sums[c] = first;
  sums[channels + c] = second;
  dbeta[c] = store<row_t>(first);
  dgamma[c] = store<row_t>(second / sqrt(value_t(load(variance[c])) + epsilon));
}

extern "C" __global__ void __launch_bounds__(256)
    differentiate(int64_t rows, int64_t channels, const element_t* dy, const element_t* x,
                  const row_t* mean, const row_t* variance, const row_t* gamma, const row_t* beta,
                  const value_t* sums, element_t* dx, int aligned, value_t epsilon) {
  begin_kernel();
  const int64_t c = first_channel();
  if (c >= channels) return;
  const Channels of(c, mean, variance, gamma, beta, epsilon);
  value_t along_mean[width], along_spread[width];
  for (int i = 0; i < width; ++i) {
    along_mean[i] = sums[c + i] / value_t(rows);
    along_spread[i] = sums[channels + c + i] / (value_t(rows) * of.deviation[i] * of.deviation[i]);
  }
  for_rows(rows, [&](int64_t r) {
    const Pack g = pack_at(dy + r * channels + c, aligned),
               in = pack_at(x + r * channels + c, aligned);
    Pack out;
    for (int i = 0; i < width; ++i) {
      value_t above;
      const value_t gradient = of.passed(i, g.at[i], in.at[i], above);
      out.at[i] =
          store<element_t>(of.scale[i] * (gradient - along_mean[i] - above * along_spread[i]));
    }
    put(dx + r * channels + c, out, aligned);
  });
}
