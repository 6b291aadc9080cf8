#include "ops/attention_text.h"
#include "ops/half_mma_text.h"

// Attention of halves on tensor cores: a warp keeps 16 queries (for the gradients of keys and
// values, 16 keys) in registers and walks over the others, which the block fetches ahead into
// shared memory. Scores exist in registers alone.
namespace stoker::cuda {
namespace {

constexpr int threads = 128, block_rows = 64;

const char* const common_text = R"cuda(
constexpr int BLOCK = 64;                                           // rows that a block keeps
constexpr int STEP = SIZE > 64 || VALUES > 64 ? 32 : 64;           // rows that pass by at a time
constexpr int LDS = SIZE + 8, LDV = VALUES + 8;                    // of shared rows: no bank conflicts
constexpr float LOG2E = 1.4426950408889634f;

// `sums` of 16 kept rows (fragments `left`, over N numbers) with STEP rows of shared memory.
template <int N> __device__ __forceinline__ void multiply_rows(float (&sums)[STEP / 8][4], const uint32_t (&left)[N / 16][4],
                                                               const In* rows) {
#pragma unroll
  for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[j][i] = 0;
#pragma unroll
  for (int k = 0; k < N / 16; ++k)
#pragma unroll
    for (int j = 0; j < STEP / 16; ++j) {
      uint32_t right[2][2];
      load_along(right, rows, N + 8, j * 16, k * 16);
      mma(sums[2 * j], left[k], right[0]);
      mma(sums[2 * j + 1], left[k], right[1]);
    }
}
// result += weights (16 kept rows x STEP) times STEP rows of N numbers in shared memory.
template <int N> __device__ __forceinline__ void add_product(float (&result)[N / 8][4], const float (&weights)[STEP / 8][4],
                                                             const In* rows) {
#pragma unroll
  for (int k = 0; k < STEP / 16; ++k) {
    uint32_t left[4];
    as_left(left, weights[2 * k], weights[2 * k + 1]);
#pragma unroll
    for (int j = 0; j < N / 16; ++j) {
      uint32_t right[2][2];
      load_across(right, rows, N + 8, k * 16, j * 16);
      mma(result[2 * j], left, right[0]);
      mma(result[2 * j + 1], left, right[1]);
    }
  }
}
template <int N> __device__ __forceinline__ void keep_rows(uint32_t (&left)[N / 16][4], const In* m, int64_t rows) {
#pragma unroll
  for (int k = 0; k < N / 16; ++k) load_left(left[k], m, N, rows, k * 16);
}
template <int N> __device__ __forceinline__ void write_rows(In* to, const float (&values)[N / 8][4], const float (&factor)[2],
                                                            int64_t rows) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (g + half * 8 >= rows) continue;
    In* row = to + (g + half * 8) * N + 2 * t;
#pragma unroll
    for (int j = 0; j < N / 8; ++j)
      *(uint32_t*)(row + j * 8) = pair_of(values[j][half * 2] * factor[half], values[j][half * 2 + 1] * factor[half]);
  }
}
// Over the four lanes that have parts of a row.
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
)cuda";

const char* const forward_text = R"cuda(
extern "C" __global__ void __launch_bounds__(THREADS) attention(Arguments x) {
  __shared__ __align__(16) In k_rows[2][STEP * LDS], v_rows[2][STEP * LDV];
  const int64_t n = blockIdx.x, block = gridDim.y - 1 - blockIdx.y;  // the longest first
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int64_t first = block * BLOCK + threadIdx.x / 32 * 16, here = n * x.queries + first;
  const In *k = x.k + n * x.keys * SIZE, *v = x.v + n * x.keys * VALUES;
  uint32_t q[SIZE / 16][4];
  keep_rows<SIZE>(q, x.q + here * SIZE, x.queries - first);
  const int64_t end = CAUSAL && !MASKED && (block + 1) * BLOCK < x.keys ? (block + 1) * BLOCK : x.keys;
  const int64_t steps = (end + STEP - 1) / STEP;
  float out[VALUES / 8][4] = {}, most[2] = {-INFINITY_F, -INFINITY_F}, sum[2] = {};
  const auto fetch = [&](int64_t step) {
    fetch_rows<STEP, SIZE>(k_rows[step % 2], k, step * STEP, x.keys);
    fetch_rows<STEP, VALUES>(v_rows[step % 2], v, step * STEP, x.keys);
    end_of_group();
  };
  fetch(0);
  for (int64_t step = 0; step < steps; ++step) {
    if (step + 1 < steps) {
      fetch(step + 1);
      wait_for_group<1>();
    } else {
      wait_for_group<0>();
    }
    __syncthreads();
    float s[STEP / 8][4];
    multiply_rows<SIZE>(s, q, k_rows[step % 2]);
    const bool edge = MASKED || (step + 1) * STEP > x.keys || (CAUSAL && (step + 1) * STEP > first);
    float largest[2] = {-INFINITY_F, -INFINITY_F};
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float score = s[j][i] * (float(SCALE) * LOG2E);
        if (edge) {
          const int64_t key = step * STEP + j * 8 + 2 * t + i % 2, query = first + g + i / 2 * 8;
          if (key >= x.keys) score = -INFINITY_F;
          else if ((CAUSAL || MASKED) && query < x.queries && !sees(x, n, query, key)) score = HIDDEN;
        }
        s[j][i] = score;
        largest[i / 2] = fmaxf(largest[i / 2], score);
      }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float now = fmaxf(most[half], row_max(largest[half])), shrink = exp2f(most[half] - now);
      most[half] = now;
      sum[half] *= shrink;
#pragma unroll
      for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float& weight = s[j][half * 2 + i];
          weight = exp2f(weight - now);
          sum[half] += weight;
        }
#pragma unroll
      for (int j = 0; j < VALUES / 8; ++j) out[j][half * 2] *= shrink, out[j][half * 2 + 1] *= shrink;
    }
    add_product<VALUES>(out, s, v_rows[step % 2]);
    __syncthreads();
  }
  float factor[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float all = row_sum(sum[half]);
    factor[half] = 1 / all;
    const int64_t row = g + half * 8;
    if (t == 0 && first + row < x.queries)
      x.logs[here + row] = most[half] <= HIDDEN / 2 ? HIDDEN : (most[half] + log2f(all)) / LOG2E;
  }
  write_rows<VALUES>(x.out + here * VALUES, out, factor, x.queries - first);
}
)cuda";

// Scores become weights, and gradients of weights those of scores; `delta` is the mean of the
// latter.
const char* const backward_text = R"cuda(
__device__ __forceinline__ void to_slopes(const Arguments& x, int64_t n, int64_t query, int64_t key, float log, float delta,
                                          bool edge, float& score, float& of_weight) {
  const bool inside = !edge || (query < x.queries && key < x.keys);
  const bool seen = !edge || (inside && ((!CAUSAL && !MASKED) || sees(x, n, query, key)));
  float weight = seen ? exp2f(score * (float(SCALE) * LOG2E) - log * LOG2E) : 0.0f;
  if (MASKED && log <= HIDDEN / 2) weight = inside ? 1 / float(x.keys) : 0.0f;
  of_weight = seen ? float(SCALE) * weight * (of_weight - delta) : 0.0f;
  score = weight;
}

extern "C" __global__ void __launch_bounds__(THREADS) of_queries(Arguments x) {
  __shared__ __align__(16) In k_rows[2][STEP * LDS], v_rows[2][STEP * LDV];
  const int64_t n = blockIdx.x, block = gridDim.y - 1 - blockIdx.y;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int64_t first = block * BLOCK + threadIdx.x / 32 * 16, here = n * x.queries + first;
  const In *k = x.k + n * x.keys * SIZE, *v = x.v + n * x.keys * VALUES;
  uint32_t q[SIZE / 16][4], of_out[VALUES / 16][4];
  keep_rows<SIZE>(q, x.q + here * SIZE, x.queries - first);
  keep_rows<VALUES>(of_out, x.of_out + here * VALUES, x.queries - first);
  float delta[2] = {}, log[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t row = g + half * 8;
    const bool inside = first + row < x.queries;
    if (inside)
      for (int d = t; d < VALUES; d += 4)
        delta[half] += load(x.out[(here + row) * VALUES + d]) * load(x.of_out[(here + row) * VALUES + d]);
    delta[half] = row_sum(delta[half]);
    log[half] = inside ? x.logs[here + row] : 0.0f;
    if (t == 0 && inside) x.delta[here + row] = delta[half];
  }
  const int64_t end = CAUSAL && !MASKED && (block + 1) * BLOCK < x.keys ? (block + 1) * BLOCK : x.keys;
  const int64_t steps = (end + STEP - 1) / STEP;
  float of_q[SIZE / 8][4] = {};
  const auto fetch = [&](int64_t step) {
    fetch_rows<STEP, SIZE>(k_rows[step % 2], k, step * STEP, x.keys);
    fetch_rows<STEP, VALUES>(v_rows[step % 2], v, step * STEP, x.keys);
    end_of_group();
  };
  fetch(0);
  for (int64_t step = 0; step < steps; ++step) {
    if (step + 1 < steps) {
      fetch(step + 1);
      wait_for_group<1>();
    } else {
      wait_for_group<0>();
    }
    __syncthreads();
    float s[STEP / 8][4], of_s[STEP / 8][4];
    multiply_rows<SIZE>(s, q, k_rows[step % 2]);
    multiply_rows<VALUES>(of_s, of_out, v_rows[step % 2]);
    const bool edge = MASKED || first + 16 > x.queries || (step + 1) * STEP > x.keys || (CAUSAL && (step + 1) * STEP > first);
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        to_slopes(x, n, first + g + i / 2 * 8, step * STEP + j * 8 + 2 * t + i % 2, log[i / 2], delta[i / 2], edge, s[j][i], of_s[j][i]);
    add_product<SIZE>(of_q, of_s, k_rows[step % 2]);
    __syncthreads();
  }
  const float one[2] = {1, 1};
  write_rows<SIZE>(x.of_q + here * SIZE, of_q, one, x.queries - first);
}

extern "C" __global__ void __launch_bounds__(THREADS) of_keys(Arguments x) {
  __shared__ __align__(16) In q_rows[2][STEP * LDS], o_rows[2][STEP * LDV];
  const int64_t n = blockIdx.x, block = blockIdx.y;
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int64_t first = block * BLOCK + threadIdx.x / 32 * 16, here = n * x.keys + first;
  const In *q = x.q + n * x.queries * SIZE, *of_out = x.of_out + n * x.queries * VALUES;
  uint32_t k[SIZE / 16][4], v[VALUES / 16][4];
  keep_rows<SIZE>(k, x.k + here * SIZE, x.keys - first);
  keep_rows<VALUES>(v, x.v + here * VALUES, x.keys - first);
  float of_k[SIZE / 8][4] = {}, of_v[VALUES / 8][4] = {};
  const auto fetch = [&](int64_t step) {
    fetch_rows<STEP, SIZE>(q_rows[step % 2], q, step * STEP, x.queries);
    fetch_rows<STEP, VALUES>(o_rows[step % 2], of_out, step * STEP, x.queries);
    end_of_group();
  };
  const int64_t steps = (x.queries + STEP - 1) / STEP, begin = CAUSAL && !MASKED ? block * BLOCK / STEP : 0;
  if (begin < steps) fetch(begin);
  for (int64_t step = begin; step < steps; ++step) {
    if (step + 1 < steps) {
      fetch(step + 1);
      wait_for_group<1>();
    } else {
      wait_for_group<0>();
    }
    __syncthreads();
    float s[STEP / 8][4], of_s[STEP / 8][4];  // a row a key, a column a query
    multiply_rows<SIZE>(s, k, q_rows[step % 2]);
    multiply_rows<VALUES>(of_s, v, o_rows[step % 2]);
    const bool edge = MASKED || first + 16 > x.keys || (step + 1) * STEP > x.queries || (CAUSAL && first + 15 > step * STEP);
#pragma unroll
    for (int j = 0; j < STEP / 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int64_t query = step * STEP + j * 8 + 2 * t + i % 2, at = n * x.queries + query;
        const bool there = query < x.queries;
        to_slopes(x, n, query, first + g + i / 2 * 8, there ? x.logs[at] : 0.0f, there ? x.delta[at] : 0.0f, edge, s[j][i], of_s[j][i]);
      }
    add_product<VALUES>(of_v, s, o_rows[step % 2]);
    add_product<SIZE>(of_k, of_s, q_rows[step % 2]);
    __syncthreads();
  }
  const float one[2] = {1, 1};
  write_rows<SIZE>(x.of_k + here * SIZE, of_k, one, x.keys - first);
  write_rows<VALUES>(x.of_v + here * VALUES, of_v, one, x.keys - first);
}
)cuda";

bool serves(const AttentionProblem& p, std::string& refusal) {
  const auto fits = [](int64_t size) { return size % 16 == 0 && size > 0 && size <= 128; };
  if (!is_half(p.dtype))
    refusal = "computes in halves";
  else if (!fits(p.size) || !fits(p.values))
    refusal = "sizes of heads must be multiples of 16 up to 128";
  else if (p.count == 0 || p.queries == 0 || p.keys == 0)
    refusal = "an operand is empty";
  else if (std::max(p.queries, p.keys) > int64_t{65535} * block_rows)
    refusal = "too many places";
  return refusal.empty();
}

std::string text_of(const AttentionProblem& p, const char* kernels) {
  const char* type = p.dtype == DType::float16 ? "f16" : "bf16";
  return attention_text(p) +
         fmt::format("#define MMA \"m16n8k16.row.col.f32.{}.{}.f32\"\n", type, type) +
         fmt::format("constexpr int THREADS = {};\n", threads) + half_mma_text + common_text +
         kernels;
}

LaunchShape shape_for(const AttentionProblem& p, int64_t rows) {
  return {.blocks = static_cast<unsigned int>(p.count),
          .threads = threads,
          .blocks_y = blocks_for(rows, block_rows)};
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (!serves(p, refusal)) return nullptr;
  const auto function = make_function(text_of(p, forward_text), "attention");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, shape_for(p, p.queries), bind(p, false, a));
  });
}

std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (!serves(p, refusal) || refuse_narrow_sums(node, refusal)) return nullptr;
  const std::string text = text_of(p, backward_text);
  const auto queries = make_function(text, "of_queries"), keys = make_function(text, "of_keys");
  return make_kernel(
      {queries, keys},
      [=](Encoder& encoder, void* const* a, void* delta) {
        const AttentionArguments x = bind(p, true, a, delta);
        encoder.launch(*queries, shape_for(p, p.queries), x);
        encoder.launch(*keys, shape_for(p, p.keys), x);
      },
      static_cast<uint64_t>(p.count * p.queries) * sizeof(float));
}

const RegisterKernel attention{"attention", "flash", optimised, plan_forward};
const RegisterKernel attention_grad{"attention_grad", "flash", optimised, plan_backward};

}  // namespace
}  // namespace stoker::cuda
