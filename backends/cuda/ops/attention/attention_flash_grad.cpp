#include "ops/attention/attention_flash_text.h"

namespace stoker::cuda {
namespace {

// `slopes` has for each query the logarithm of its sum, to base 2, and the mean of the gradients of
// its weights: what turns scores into weights, and gradients of weights into those of scores (not
// yet scaled).
const char* const slopes_text = R"cuda(
// Whether a score counts. A row that sees nothing has equal weights, of which none depends on its score.
__device__ __forceinline__ bool counts(const Arguments& x, int64_t n, int query, int key) {
  return query < int(x.queries) && key < int(x.keys) && ((!CAUSAL && !MASKED) || sees(x, n, query, key));
}
__device__ __forceinline__ float weight_at(const Arguments& x, float score, float log) {
  return MASKED && log <= HIDDEN / 2 ? 1 / float(x.keys) : power_of_2(fmaf(score, FACTOR, -log));
}
__device__ __forceinline__ float slope_at(const Arguments& x, int64_t n, int query, int key, float weight, float of_weight,
                                          float mean) {
  return MASKED && !counts(x, n, query, key) ? 0.0f : weight * (of_weight - mean);
}
)cuda";

const char* const queries_text = R"cuda(
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
  extern __shared__ __align__(1024) In tiles[];
  const int queries = int(x.queries), keys = int(x.keys), blocks = blocks_of(queries);
  const Place at = place_of_block(x, blocks);
  const int block = blocks - 1 - at.block;  // the longest first
  const int64_t n = at.n;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int first = block * BLOCK + threadIdx.x / 32 * 16;
  const int64_t here = n * queries + first;
  const Passing pass{tiles, x.k + n * keys * SIZE, x.v + n * keys * VALUES, keys, steps_over_keys(block, keys)};
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
          if (!counts(x, n, first + g + i / 2 * 8, step * STEP + j * 8 + 2 * t + i % 2)) s[j][i] = -INFINITY_F;
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
        s[j][i] = slope_at(x, n, first + g + i / 2 * 8, step * STEP + j * 8 + 2 * t + i % 2, s[j][i], of_s[j][i], mean[i / 2]);
    uint32_t slopes[STEP / 16][4];
    as_left(slopes, s);
    begin_products();
    add_product<SIZE>(of_q, slopes, pass.a_tile(step));
    end_of_products();
    wait_for_products<0>(of_q);
  }
  const float scale[2] = {float(SCALE), float(SCALE)};
  write_rows<SIZE>(x.of_q + here * SIZE, of_q, scale, queries - first);
}
)cuda";

const char* const keys_text = R"cuda(
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_EACH) of_keys(Arguments x) {
  extern __shared__ __align__(1024) In tiles[];
  const int queries = int(x.queries), keys = int(x.keys);
  const Place at = place_of_block(x, blocks_of(keys));
  const int64_t n = at.n;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int first = at.block * BLOCK + threadIdx.x / 32 * 16;
  const int64_t here = n * keys + first;
  const Passing pass{tiles, x.q + n * queries * SIZE, x.of_out + n * queries * VALUES, queries, (queries + STEP - 1) / STEP};
  const float* slopes_of_n = x.delta + n * queries * 2;
  const auto slopes_at = [&](int step) { return (float*)(tiles + STAGES * STEP * WIDTH) + step % STAGES * (STEP * 2); };
  const auto fetch_step = [&](int step) {
    const int query = step * STEP + threadIdx.x;
    pass.fetch_step(step);
    if (threadIdx.x < STEP) fetch<8>(slopes_at(step) + threadIdx.x * 2, slopes_of_n + query * 2, query < queries);
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
    float s[STEP / 8][4], of_s[STEP / 8][4];  // a row a key, a column a query
    begin_products();
    multiply_rows<SIZE>(s, k, pass.a_tile(step));
    end_of_products();
    multiply_rows<VALUES>(of_s, v, pass.b_tile(step));
    end_of_products();
    const float4* about = (const float4*)slopes_at(step) + t;  // of columns 2t and 2t + 1: logarithm, mean
    wait_for_products<1>(s);
    if (MASKED || (CAUSAL && first + 15 > step * STEP)) {
#pragma unroll
      for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (!counts(x, n, step * STEP + j * 8 + 2 * t + i % 2, first + g + i / 2 * 8)) s[j][i] = -INFINITY_F;
    }
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j) {
      const float4 both = about[j * 4];
#pragma unroll
      for (int i = 0; i < 4; ++i) s[j][i] = weight_at(x, s[j][i], i % 2 ? both.z : both.x);
    }
    uint32_t weights[STEP / 16][4], slopes[STEP / 16][4];
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
        s[j][i] = slope_at(x, n, step * STEP + j * 8 + 2 * t + i % 2, first + g + i / 2 * 8, s[j][i], of_s[j][i], i % 2 ? both.w : both.y);
    }
    as_left(slopes, s);
    begin_products();
    add_product<SIZE>(of_k, slopes, pass.a_tile(step));
    end_of_products();
    wait_for_products<0>(of_k);
    wait_for_products<0>(of_v);
  }
  const float one[2] = {1, 1}, scale[2] = {float(SCALE), float(SCALE)};
  write_rows<SIZE>(x.of_k + here * SIZE, of_k, scale, keys - first);
  write_rows<VALUES>(x.of_v + here * VALUES, of_v, one, keys - first);
}
)cuda";

FlashShape shape_for_queries(const AttentionProblem& p) {
  if (!has_warpgroups(p)) return plain_shape(p);
  return {.warpgroups = true, .blocks_each = 2};
}
// Its two sums leave fewer registers for scores.
FlashShape shape_for_keys(const AttentionProblem& p) {
  if (!has_warpgroups(p)) return plain_shape(p);
  const int room = p.size > 64 ? 2 : 3;
  return {.warpgroups = true, .step = 32, .blocks_each = room, .stages = room};
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (!serves_flash(p, refusal) || refuse_narrow_sums(node, refusal)) return nullptr;
  const FlashShape for_queries = shape_for_queries(p), for_keys = shape_for_keys(p);
  const auto queries = make_function(
                 flash_text(p, for_queries, std::string(slopes_text) + queries_text), "of_queries"),
             keys = make_function(flash_text(p, for_keys, std::string(slopes_text) + keys_text),
                                  "of_keys");
  return make_kernel(
      {queries, keys},
      [=](Encoder& encoder, void* const* a, void* slopes) {
        const AttentionArguments x = bind(p, true, a, slopes);
        encoder.launch(*queries, flash_launch(p, for_queries, p.queries), x);
        encoder.launch(*keys, flash_launch(p, for_keys, p.keys), x);
      },
      static_cast<uint64_t>(p.count * p.queries) * 2 * sizeof(float));
}

const RegisterKernel attention_grad{"attention_grad", "flash", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
