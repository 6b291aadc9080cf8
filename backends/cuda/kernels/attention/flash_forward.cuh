#pragma once
#include "attention/flash.cuh"

// Online softmax: unscaled scores become weights relative to the maximum so far; `shrink` rescales
// earlier results.
__device__ __forceinline__ void to_weights(float (&s)[STEP / 8][4], float (&most)[2],
                                           float (&sum)[2], float (&shrink)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float now = most[half];
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j) now = fmaxf(now, fmaxf(s[j][half * 2], s[j][half * 2 + 1]));
    now = row_max(now);
    shrink[half] = power_of_2((most[half] - now) * FACTOR);
    most[half] = now;
    sum[half] *= shrink[half];
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float& weight = s[j][half * 2 + i];
        // If all are HIDDEN, only subtracting first is exact.
        weight = power_of_2(MASKED ? (weight - now) * FACTOR : fmaf(weight, FACTOR, -now * FACTOR));
        sum[half] += weight;
      }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_EACH) attention(Arguments x) {
  begin_kernel();
  extern __shared__ __align__(1024) In tiles[];
  const auto [queries, keys, first, n, here, pass] = queries_of_warp(x, tiles);
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  fetch_first_steps(pass);
  uint32_t q[SIZE / 16][4];
  keep_rows<SIZE>(q, x.q + here * SIZE, queries - first);
  float out[VALUES / 8][4] = {}, most[2] = {-INFINITY_F, -INFINITY_F}, sum[2] = {};
  for (int step = 0; step < pass.steps; ++step) {
    wait_for_step();
    pass.fetch_step(step + STAGES - 1);
    end_of_group();
    float s[STEP / 8][4], shrink[2];
    begin_products();
    multiply_rows<SIZE>(s, q, pass.a_tile(step));
    end_of_products();
    wait_for_products<0>(s);
    if (MASKED || (step + 1) * STEP > keys || (CAUSAL && (step + 1) * STEP > first)) {
#pragma unroll
      for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int key = step * STEP + j * 8 + 2 * t + i % 2, query = first + g + i / 2 * 8;
          if (key >= keys)
            s[j][i] = -INFINITY_F;
          else if ((CAUSAL || MASKED) && query < queries && !sees(x, n, query, key))
            s[j][i] = HIDDEN;
        }
    }
    to_weights(s, most, sum, shrink);
#pragma unroll
    for (int j = 0; j < VALUES / 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) out[j][i] *= shrink[i / 2];
    uint32_t weights[STEP / 16][4];
    as_left(weights, s);
    begin_products();
    add_product<VALUES>(out, weights, pass.b_tile(step));
    end_of_products();
    wait_for_products<0>(out);
  }
  float factor[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float all = row_sum(sum[half]);
    factor[half] = 1 / all;
    const int row = g + half * 8;
    if (t == 0 && first + row < queries)
      x.logs[here + row] =
          most[half] <= HIDDEN / 2 ? HIDDEN : (most[half] * FACTOR + log2f(all)) / LOG2E;
  }
  write_rows<VALUES>(x.out + here * VALUES, out, factor, queries - first);
}
