#pragma once
#include "attention/flash_score_gradients.cuh"

__device__ __forceinline__ float dot_pairs(uint32_t a, uint32_t b) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    In left, right;
    left.bits = uint16_t(a >> 16 * i), right.bits = uint16_t(b >> 16 * i);
    sum += load(left) * load(right);
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_EACH) of_queries(Arguments x) {
  begin_kernel();
  extern __shared__ __align__(1024) In tiles[];
  const auto [queries, keys, first, n, here, pass] = queries_of_warp(x, tiles);
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  fetch_first_steps(pass);
  uint32_t q[SIZE / 16][4], of_out[VALUES / 16][4];
  keep_rows<SIZE>(q, x.q + here * SIZE, queries - first);
  keep_rows<VALUES>(of_out, x.of_out + here * VALUES, queries - first);
  float mean[2] = {}, log[2];
#pragma unroll
  for (int c = 0; c < VALUES / 16; ++c) {
    uint32_t out[4];
    load_left(out, x.out + here * VALUES, VALUES, queries - first, c * 16);
#pragma unroll
    for (int i = 0; i < 4; ++i) mean[i % 2] += dot_pairs(out[i], of_out[c][i]);
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = g + half * 8;
    const bool inside = first + row < queries;
    mean[half] = row_sum(mean[half]);
    log[half] = inside ? x.logs[here + row] * LOG2E : 0.0f;
    if (t == 0 && inside) ((float2*)x.delta)[here + row] = make_float2(log[half], mean[half]);
  }
  float of_q[SIZE / 8][4] = {};
  for (int step = 0; step < pass.steps; ++step) {
    wait_for_step();
    pass.fetch_step(step + STAGES - 1);
    end_of_group();
    float s[STEP / 8][4], of_s[STEP / 8][4];
    begin_products();
    multiply_rows<SIZE>(s, q, pass.a_tile(step));
    end_of_products();
    multiply_rows<VALUES>(of_s, of_out, pass.b_tile(step));
    end_of_products();
    wait_for_products<1>(s);
    if (MASKED || (step + 1) * STEP > keys || (CAUSAL && (step + 1) * STEP > first)) {
#pragma unroll
      for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (!counts(x, n, first + g + i / 2 * 8, step * STEP + j * 8 + 2 * t + i % 2))
            s[j][i] = -INFINITY_F;
    }
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) s[j][i] = weight_at(x, s[j][i], log[i / 2]);
    wait_for_products<0>(of_s);
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        s[j][i] =
            score_gradient_at(x, n, first + g + i / 2 * 8, step * STEP + j * 8 + 2 * t + i % 2,
                              s[j][i], of_s[j][i], mean[i / 2]);
    uint32_t score_gradients[STEP / 16][4];
    as_left(score_gradients, s);
    begin_products();
    add_product<SIZE>(of_q, score_gradients, pass.a_tile(step));
    end_of_products();
    wait_for_products<0>(of_q);
  }
  const float scale[2] = {float(SCALE), float(SCALE)};
  write_rows<SIZE>(x.of_q + here * SIZE, of_q, scale, queries - first);
}
