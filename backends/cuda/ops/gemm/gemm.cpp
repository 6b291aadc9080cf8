#include "ops/gemm/gemm.h"

namespace stoker::cuda {
DType accumulator(const Gemm& p) {
  return p.in == DType::float64 ? DType::float64 : DType::float32;
}

Gemm product_of(const NodeView& node) {
  Gemm p;
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

std::string key_of(const Gemm& p) {
  return fmt::format("{}x{}x{}x{} {:d}{:d} {} {} {:d}{:d}{:d} {:d}{:d}", p.batch, p.m, p.n, p.k,
                     p.trans_a, p.trans_b, name_of(p.in), name_of(p.out), p.bias, p.mask, p.relu,
                     p.adam, p.bias_step);
}

double flops_of(const Gemm& p) {
  return 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n) *
         static_cast<double>(p.k);
}

bool is_too_much_to_try(const Gemm& p) {
  const double most_flops = is_half(p.in) ? 2e12 : 4e11, most_bytes = 2e9;
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
             k = static_cast<double>(p.k);
  const double bytes =
      (m * k + n * k + m * n) * static_cast<double>(p.batch) * static_cast<double>(size_of(p.in));
  return flops_of(p) > most_flops || bytes > most_bytes;
}

Gemm small_enough_to_try(Gemm p) {
  constexpr int64_t unit = 512;  // elements: keeps the alignment of rows
  while (is_too_much_to_try(p)) {
    int64_t& side = p.m >= std::max(p.n, p.k) ? p.m : p.n >= p.k ? p.n : p.k;
    if (p.batch > 1)
      p.batch /= 2;
    else
      side = side / unit / 2 * unit + side % unit;
  }
  return p;
}

bool is_large(const Gemm& p) {
  const double flops = flops_of(p);
  return std::min(p.m, p.n) > 64 && p.k > 64 && flops > (p.adam ? 8e8 : 3e8);
}

GemmArguments bind(const Gemm& p, void* const* arguments, void* partial) {
  GemmArguments x{};
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

KernelSource gemm_source(const char* file, const Gemm& p) {
  KernelSource source(file);
  source.type("In", p.in)
      .type("Out", p.out)
      .type("Acc", accumulator(p))
      .constant("TRANS_A", p.trans_a)
      .constant("TRANS_B", p.trans_b)
      .macro("BIAS_STEP", p.bias_step)
      .macro("ADAM", p.adam);
  if (p.adam)
    source.constant("TAKE_M", 1 - p.beta_1)
        .constant("TAKE_V", 1 - p.beta_2)
        .constant("EPSILON", p.epsilon);
  else
    source.constant("BIAS", p.bias).constant("MASK", p.mask).constant("RELU", p.relu);
  return source;
}

int vector_width(const Gemm& p) {
  const int most = p.out == DType::float64 ? 2 : 4;
  return p.n % most == 0 ? most : p.n % 2 == 0 ? 2 : 1;
}

// Memory-bound: 16 bytes per access, also for float16.
static int finishing_width(const Gemm& p) {
  return !p.adam && size_of(p.out) == 2 && p.n % 8 == 0 ? 8 : vector_width(p);
}

Finishing make_finishing(const Gemm& p, DType part, int64_t splits) {
  const int width = finishing_width(p), lanes = splits >= 8 ? 32 : 1;
  return {make_function(gemm_source("gemm/finish_product.cuh", p)
                            .type("Part", part)
                            .constant("WIDTH", width)
                            .constant("LANES", lanes),
                        "finish_product", fast_division()),
          p.m * p.n / width * lanes, splits};
}

void Finishing::encode(Encoder& encoder, const GemmArguments& x) const {
  encoder.launch(*function, {.blocks = blocks_for(threads, 256, 8 * encoder.gpu().multiprocessors)},
                 x, splits);
}

}  // namespace stoker::cuda
