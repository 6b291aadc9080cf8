#pragma once
#include "attention/flash_score_gradients.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_EACH) of_keys(Arguments x) {
  begin_kernel();
  extern __shared__ __align__(1024) In tiles[];
  const int queries = int(x.queries), keys = int(x.keys);
  const Place at = place_of_block(x, blocks_of(keys));
  const int64_t n = at.n;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int first = at.block * BLOCK + threadIdx.x / 32 * 16;
  const int64_t here = n * keys + first;
  const Passing pass{tiles, x.q + n * queries * SIZE, x.of_out + n * queries * VALUES, queries,
                     (queries + STEP - 1) / STEP};
  const float* sums_of_n = x.delta + n * queries * 2;
  const auto sums_at = [&](int step) {
    return (float*)(tiles + STAGES * STEP * WIDTH) + step % STAGES * (STEP * 2);
  };
  const auto fetch_step = [&](int step) {
    const int query = step * STEP + threadIdx.x;
    pass.fetch_step(step);
    if (threadIdx.x < STEP)
      fetch<8>(sums_at(step) + threadIdx.x * 2, sums_of_n + query * 2, query < queries);
    end_of_group();
  };
  const int begin = CAUSAL && !MASKED ? at.block * BLOCK / STEP : 0;
  for (int step = begin; step + 1 < begin + STAGES; ++step) fetch_step(step);
  uint32_t k[SIZE / 16][4], v[VALUES / 16][4];
  keep_rows<SIZE>(k, x.k + here * SIZE, keys - first);
  keep_rows<VALUES>(v, x.v + here * VALUES, keys - first);
  float of_k[SIZE / 8][4] = {}, of_v[VALUES / 8][4] = {};
  for (int step = begin; step < pass.steps; ++step) {
    wait_for_step();
    fetch_step(step + STAGES - 1);
    float s[STEP / 8][4], of_s[STEP / 8][4];  // rows are keys, columns are queries
    begin_products();
    multiply_rows<SIZE>(s, k, pass.a_tile(step));
    end_of_products();
    multiply_rows<VALUES>(of_s, v, pass.b_tile(step));
    end_of_products();
    const float4* about =
        (const float4*)sums_at(step) + t;  // of columns 2t and 2t + 1: logarithm, mean
    wait_for_products<1>(s);
    if (MASKED || (CAUSAL && first + 15 > step * STEP)) {
#pragma unroll
      for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (!counts(x, n, step * STEP + j * 8 + 2 * t + i % 2, first + g + i / 2 * 8))
            s[j][i] = -INFINITY_F;
    }
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j) {
      const float4 both = about[j * 4];
#pragma unroll
      for (int i = 0; i < 4; ++i) s[j][i] = weight_at(x, s[j][i], i % 2 ? both.z : both.x);
    }
    uint32_t weights[STEP / 16][4], score_gradients[STEP / 16][4];
    as_left(weights, s);
    begin_products();
    add_product<VALUES>(of_v, weights, pass.b_tile(step));
    end_of_products();
    wait_for_products<1>(of_s);
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j) {
      const float4 both = about[j * 4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        s[j][i] =
            score_gradient_at(x, n, step * STEP + j * 8 + 2 * t + i % 2, first + g + i / 2 * 8,
                              s[j][i], of_s[j][i], i % 2 ? both.w : both.y);
    }
    as_left(score_gradients, s);
    begin_products();
    add_product<SIZE>(of_k, score_gradients, pass.a_tile(step));
    end_of_products();
    wait_for_products<0>(of_k);
    wait_for_products<0>(of_v);
  }
  const float one[2] = {1, 1}, scale[2] = {float(SCALE), float(SCALE)};
  write_rows<SIZE>(x.of_k + here * SIZE, of_k, scale, keys - first);
  write_rows<VALUES>(x.of_v + here * VALUES, of_v, one, keys - first);
}
