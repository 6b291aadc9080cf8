#include "ops/attention/attention_text.h"

// Attention of any type and size: a warp a query, and for the gradients of keys and values a warp a
// key.
namespace stoker::cuda {
namespace {

const char* const warp_text = R"cuda(
template <int N> __device__ __forceinline__ Acc dot(const In* a, const In* b) {
  Acc sum = 0;
  for (int d = 0; d < N; ++d) sum += load(a[d]) * load(b[d]);
  return sum;
}
__device__ __forceinline__ Acc score_of(const Arguments& x, int64_t n, int64_t query, int64_t key) {
  if (!sees(x, n, query, key)) return HIDDEN;
  return Acc(SCALE) * dot<SIZE>(x.q + (n * x.queries + query) * SIZE, x.k + (n * x.keys + key) * SIZE);
}
// row[d] += sum over the warp's lanes l of weight(l) * rows[l][d], a lane every 32nd d; count of them are there.
template <int N>
__device__ __forceinline__ void add_rows(Acc (&row)[(N + 31) / 32], Acc weight, const In* rows, int64_t count) {
  const int lane = threadIdx.x % 32;
  for (int l = 0; l < 32 && l < count; ++l) {
    const Acc w = __shfl_sync(0xffffffffu, weight, l);
    for (int i = 0; i * 32 + lane < N; ++i) row[i] += w * load(rows[l * N + i * 32 + lane]);
  }
}
template <int N> __device__ __forceinline__ void write_row(In* to, const Acc (&row)[(N + 31) / 32], Acc factor) {
  const int lane = threadIdx.x % 32;
  for (int i = 0; i * 32 + lane < N; ++i) to[i * 32 + lane] = store<In>(row[i] * factor);
}
__device__ __forceinline__ int64_t warp_index() {
  return (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) / 32;
}
)cuda";

const char* const forward_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256) attention(Arguments x) {
  const int64_t at = warp_index(), n = at / x.queries, query = at % x.queries;
  if (n >= x.count) return;
  const int lane = threadIdx.x % 32;
  Acc most = -INFINITY_F;
  for (int64_t key = lane; key < x.keys; key += 32) {
    const Acc score = score_of(x, n, query, key);
    most = score > most || score != score ? score : most;
  }
  most = warp_max(most);
  Acc sum = 0, row[(VALUES + 31) / 32] = {};
  for (int64_t first = 0; first < x.keys; first += 32) {
    const int64_t key = first + lane;
    const Acc weight = key < x.keys ? exp_(score_of(x, n, query, key) - most) : Acc(0);
    sum += weight;
    add_rows<VALUES>(row, weight, x.v + (n * x.keys + first) * VALUES, x.keys - first);
  }
  sum = warp_sum(sum);
  write_row<VALUES>(x.out + at * VALUES, row, Acc(1) / sum);
  if (lane == 0) x.logs[at] = most + log_(sum);
}
)cuda";

const char* const backward_text = R"cuda(
struct Slope { Acc weight, of_score; };
__device__ __forceinline__ Slope slope_of(const Arguments& x, int64_t n, int64_t query, int64_t key) {
  const int64_t at = n * x.queries + query;
  Slope s;
  s.weight = weight_of(score_of(x, n, query, key), x.logs[at], x.keys);
  const Acc of_weight = dot<VALUES>(x.of_out + at * VALUES, x.v + (n * x.keys + key) * VALUES);
  s.of_score = sees(x, n, query, key) ? Acc(SCALE) * s.weight * (of_weight - x.delta[at]) : Acc(0);
  return s;
}
extern "C" __global__ void __launch_bounds__(256) means(Arguments x) {
  const int64_t at = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (at < x.count * x.queries) x.delta[at] = dot<VALUES>(x.out + at * VALUES, x.of_out + at * VALUES);
}
extern "C" __global__ void __launch_bounds__(256) of_queries(Arguments x) {
  const int64_t at = warp_index(), n = at / x.queries, query = at % x.queries;
  if (n >= x.count) return;
  Acc row[(SIZE + 31) / 32] = {};
  for (int64_t first = 0; first < x.keys; first += 32) {
    const int64_t key = first + threadIdx.x % 32;
    const Acc of_score = key < x.keys ? slope_of(x, n, query, key).of_score : Acc(0);
    add_rows<SIZE>(row, of_score, x.k + (n * x.keys + first) * SIZE, x.keys - first);
  }
  write_row<SIZE>(x.of_q + at * SIZE, row, 1);
}
extern "C" __global__ void __launch_bounds__(256) of_keys(Arguments x) {
  const int64_t at = warp_index(), n = at / x.keys, key = at % x.keys;
  if (n >= x.count) return;
  Acc of_k[(SIZE + 31) / 32] = {}, of_v[(VALUES + 31) / 32] = {};
  for (int64_t first = 0; first < x.queries; first += 32) {
    const int64_t query = first + threadIdx.x % 32, rows = n * x.queries + first;
    Slope s = {};
    if (query < x.queries) s = slope_of(x, n, query, key);
    add_rows<SIZE>(of_k, s.of_score, x.q + rows * SIZE, x.queries - first);
    add_rows<VALUES>(of_v, s.weight, x.of_out + rows * VALUES, x.queries - first);
  }
  write_row<SIZE>(x.of_k + at * SIZE, of_k, 1);
  write_row<VALUES>(x.of_v + at * VALUES, of_v, 1);
}
)cuda";

unsigned int warps(int64_t count) { return blocks_for(count * 32); }

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (refuse_non_floats(p.dtype, refusal)) return nullptr;
  if (node.out[1].shape.size() == 0) return do_nothing();
  const auto function = make_function(attention_text(p) + warp_text + forward_text, "attention");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, {.blocks = warps(p.count * p.queries)}, bind(p, false, a));
  });
}

std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  const AttentionProblem p(node);
  if (refuse_non_floats(p.dtype, refusal) || refuse_narrow_sums(node, refusal)) return nullptr;
  if (node.in[4].shape.size() == 0) return do_nothing();
  const std::string text = attention_text(p) + warp_text + backward_text;
  const auto means = make_function(text, "means"), queries = make_function(text, "of_queries"),
             keys = make_function(text, "of_keys");
  return make_kernel(
      {means, queries, keys},
      [=](Encoder& encoder, void* const* a, void* delta) {
        const AttentionArguments x = bind(p, true, a, delta);
        encoder.launch(*means, {.blocks = blocks_for(p.count * p.queries)}, x);
        encoder.launch(*queries, {.blocks = warps(p.count * p.queries)}, x);
        encoder.launch(*keys, {.blocks = warps(p.count * p.keys)}, x);
      },
      static_cast<uint64_t>(p.count * p.queries) * sizeof(double));
}

const RegisterKernel attention{"attention", "warps", reference, plan_forward};
const RegisterKernel attention_grad{"attention_grad", "warps", reference, plan_backward};

}  // namespace
}  // namespace stoker::cuda
