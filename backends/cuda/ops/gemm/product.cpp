#include "ops/gemm/product.h"

namespace stoker::cuda {
namespace {

const char* const arguments_text = R"cuda(
struct Arguments {
  const In *a, *b;
  const Out *bias, *mask;
  Out* out;
  const Out *w, *m, *v, *step;
  Out *new_w, *new_m, *new_v;
  const Out *bias_w, *bias_m, *bias_v;
  Out *new_bias_w, *new_bias_m, *new_bias_v;
  void* partial;
  int64_t rows, columns, inner, batch;
  int32_t tiles_across, depth;
};
template <class T, int V> struct alignas(V * sizeof(T)) Pack { T at[V]; };
template <int V, class T> __device__ __forceinline__ Pack<T, V> pack_at(const T* p) { return *(const Pack<T, V>*)p; }
)cuda";

const char* const write_text = R"cuda(
template <int V> struct Rest { Pack<Out, V> bias, mask; };
template <int V> __device__ __forceinline__ Rest<V> rest_of(const Arguments& x, int64_t row, int64_t column) {
  Rest<V> rest;
  if (BIAS) rest.bias = pack_at<V>(x.bias + column);
  if (MASK) rest.mask = pack_at<V>(x.mask + row * x.columns + column);
  return rest;
}
template <int V>
__device__ __forceinline__ void finish(const Arguments& x, const Rest<V>& rest, const Acc (&values)[V], int64_t row, int64_t column) {
  Pack<Out, V> result;
#pragma unroll
  for (int i = 0; i < V; ++i) {
    Acc value = values[i];
    if (BIAS) value += load(rest.bias.at[i]);
    if (RELU) value = value < 0 ? Acc(0) : value;  // a NaN stays one
    if (MASK) value = load(rest.mask.at[i]) > 0 ? value : Acc(0);
    result.at[i] = store<Out>(value);
  }
  *(Pack<Out, V>*)(x.out + row * x.columns + column) = result;
}
)cuda";

const char* const adam_text = R"cuda(
template <int V> struct Rest { Pack<Out, V> w, m, v; Acc step; };
template <int V> __device__ __forceinline__ Rest<V> rest_of(const Arguments& x, int64_t row, int64_t column) {
  const int64_t at = row * x.columns + column;
  return {pack_at<V>(x.w + at), pack_at<V>(x.m + at), pack_at<V>(x.v + at), load(*x.step)};
}
template <int V> __device__ __forceinline__ void adam(Rest<V>& rest, const Acc (&gradients)[V]) {
#pragma unroll
  for (int i = 0; i < V; ++i) {
    const Acc g = gradients[i], m = load(rest.m.at[i]), v = load(rest.v.at[i]);
    const Acc new_m = m + (g - m) * Acc(TAKE_M), new_v = v + (g * g - v) * Acc(TAKE_V);
    rest.w.at[i] = store<Out>(load(rest.w.at[i]) - new_m * rest.step / (sqrt(new_v) + Acc(EPSILON)));
    rest.m.at[i] = store<Out>(new_m);
    rest.v.at[i] = store<Out>(new_v);
  }
}
template <int V>
__device__ __forceinline__ void finish(const Arguments& x, Rest<V> rest, const Acc (&values)[V], int64_t row, int64_t column) {
  const int64_t at = row * x.columns + column;
  adam(rest, values);
  *(Pack<Out, V>*)(x.new_w + at) = rest.w;
  *(Pack<Out, V>*)(x.new_m + at) = rest.m;
  *(Pack<Out, V>*)(x.new_v + at) = rest.v;
}
__device__ __forceinline__ void finish_bias(const Arguments& x, Acc sum, int64_t column) {
  Rest<1> rest = {pack_at<1>(x.bias_w + column), pack_at<1>(x.bias_m + column), pack_at<1>(x.bias_v + column), load(*x.step)};
  const Acc gradient[1] = {sum};
  adam(rest, gradient);
  x.new_bias_w[column] = rest.w.at[0];
  x.new_bias_m[column] = rest.m.at[0];
  x.new_bias_v[column] = rest.v.at[0];
}
)cuda";

// Few elements of many parts: a warp adds up each group, lane by lane and then across, in an order
// that is always the same.
const char* const finishing_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256) finish_product(Arguments x, int64_t splits) {
  const int64_t size = x.rows * x.columns, stride = gridDim.x * int64_t(blockDim.x) / LANES * WIDTH;
  const int lane = threadIdx.x % LANES;
  for (int64_t at = (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) / LANES * WIDTH; at < size; at += stride) {
    const int64_t row = at / x.columns, column = at % x.columns;
    const Rest<WIDTH> rest = rest_of<WIDTH>(x, row, column);
    Acc sums[WIDTH] = {};
    for (int64_t s = lane; s < splits; s += LANES) {
      const Pack<Part, WIDTH> part = pack_at<WIDTH>((const Part*)x.partial + s * size + at);
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) sums[i] += load(part.at[i]);
    }
    if (LANES > 1)
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) sums[i] = warp_sum(sums[i]);
    if (lane == 0) finish<WIDTH>(x, rest, sums, row, column);
  }
}
)cuda";

}  // namespace

DType accumulator(const Product& p) {
  return p.in == DType::float64 ? DType::float64 : DType::float32;
}

Product product_of(const NodeView& node) {
  Product p;
  p.trans_a = node.flag("transpose_a");
  p.trans_b = node.flag("transpose_b");
  const Shape &a = node.in[0].shape, &b = node.in[1].shape;
  p.m = a[p.trans_a ? -1 : -2];
  p.k = a[p.trans_a ? -2 : -1];
  p.n = b[p.trans_b ? -2 : -1];
  if (a.rank() == 3) p.batch = a[0];
  p.in = node.in[0].dtype;
  p.out = node.out[0].dtype;
  p.bias = node.flag("bias");
  p.mask = node.flag("mask");
  p.relu = node.text("activation") == "relu";
  p.bias_step = node.op == "matmul_adam_bias";
  p.adam = p.bias_step || node.op == "matmul_adam";
  p.beta_1 = node.number("beta_1");
  p.beta_2 = node.number("beta_2");
  p.epsilon = node.number("epsilon");
  return p;
}

std::string key_of(const Product& p) {
  return fmt::format("{}x{}x{}x{} {:d}{:d} {} {} {:d}{:d}{:d} {:d}{:d}", p.batch, p.m, p.n, p.k,
                     p.trans_a, p.trans_b, name_of(p.in), name_of(p.out), p.bias, p.mask, p.relu,
                     p.adam, p.bias_step);
}

double flops_of(const Product& p) {
  return 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n) *
         static_cast<double>(p.k);
}

bool is_too_much_to_try(const Product& p) {
  const double most_flops = is_half(p.in) ? 2e12 : 4e11, most_bytes = 2e9;
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
             k = static_cast<double>(p.k);
  const double bytes =
      (m * k + n * k + m * n) * static_cast<double>(p.batch) * static_cast<double>(size_of(p.in));
  return flops_of(p) > most_flops || bytes > most_bytes;
}

Product small_enough_to_try(Product p) {
  constexpr int64_t unit = 512;  // elements: rows stay aligned as they were
  while (is_too_much_to_try(p)) {
    int64_t& side = p.m >= std::max(p.n, p.k) ? p.m : p.n >= p.k ? p.n : p.k;
    if (p.batch > 1)
      p.batch /= 2;
    else
      side = side / unit / 2 * unit + side % unit;
  }
  return p;
}

bool is_large(const Product& p) {
  const double flops = flops_of(p);
  return std::min(p.m, p.n) > 64 && p.k > 64 && flops > (p.adam ? 8e8 : 3e8);
}

ProductArguments bind(const Product& p, void* const* arguments, void* partial) {
  ProductArguments x{};
  x.a = arguments[0];
  x.b = arguments[1];
  if (p.adam) {
    void* const* out = arguments + (p.bias_step ? 9 : 6);
    x.w = arguments[2], x.m = arguments[3], x.v = arguments[4], x.step = arguments[5];
    x.new_w = out[0], x.new_m = out[1], x.new_v = out[2];
    if (p.bias_step) {
      x.bias_w = arguments[6], x.bias_m = arguments[7], x.bias_v = arguments[8];
      x.new_bias_w = out[3], x.new_bias_m = out[4], x.new_bias_v = out[5];
    }
  } else {
    if (p.bias) x.bias = arguments[2];
    if (p.mask) x.mask = arguments[2 + p.bias];
    x.out = arguments[2 + p.bias + p.mask];
  }
  x.partial = partial;
  x.rows = p.m;
  x.columns = p.n;
  x.inner = p.k;
  x.batch = p.batch;
  return x;
}

std::string product_text(const Product& p) {
  std::string text = fmt::format(
      "typedef {} In;\ntypedef {} Out;\ntypedef {} Acc;\n#define TRANS_A {:d}\n#define TRANS_B "
      "{:d}\n#define BIAS_STEP {:d}\n",
      type_name(p.in), type_name(p.out), type_name(accumulator(p)), p.trans_a, p.trans_b,
      p.bias_step);
  text += arguments_text;
  if (p.adam)
    return text +
           fmt::format("#define TAKE_M {:.17g}\n#define TAKE_V {:.17g}\n#define EPSILON {:.17g}\n",
                       1 - p.beta_1, 1 - p.beta_2, p.epsilon) +
           adam_text;
  return text +
         fmt::format("#define BIAS {:d}\n#define MASK {:d}\n#define RELU {:d}\n", p.bias, p.mask,
                     p.relu) +
         write_text;
}

int vector_width(const Product& p) {
  const int most = p.out == DType::float64 ? 2 : 4;
  return p.n % most == 0 ? most : p.n % 2 == 0 ? 2 : 1;
}

// Nothing but memory counts here: 16 bytes an access also of halves.
static int finishing_width(const Product& p) {
  return !p.adam && size_of(p.out) == 2 && p.n % 8 == 0 ? 8 : vector_width(p);
}

Finishing make_finishing(const Product& p, DType part, int64_t splits) {
  const int width = finishing_width(p), lanes = splits >= 8 ? 32 : 1;
  return {make_function(product_text(p) +
                            fmt::format("typedef {} Part;\n#define WIDTH {}\n#define LANES {}\n",
                                        type_name(part), width, lanes) +
                            finishing_text,
                        "finish_product", fast_division()),
          p.m * p.n / width * lanes, splits};
}

void Finishing::encode(Encoder& encoder, const ProductArguments& x) const {
  encoder.launch(*function, {.blocks = blocks_for(threads, 256, 8 * encoder.gpu().multiprocessors)},
                 x, splits);
}

}  // namespace stoker::cuda
