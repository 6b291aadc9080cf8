#include "ops/conv/conv2d_problem.h"

// Plain convolutions of any shape: a thread per result.
namespace stoker::cuda {
namespace {

constexpr const char* forward_text = R"cuda(
__device__ A convolve(const Conv& c, const T* x, const T* kernel, int n, int oh, int ow, int f) {
  const int depth = c.channels / c.groups, first = f / (c.filters / c.groups) * depth;
  A sum = 0;
  for (int kh = 0; kh < c.kernel_h; ++kh) {
    const int h = oh * c.stride_h - c.pad_top + kh * c.dilation_h;
    if (h < 0 || h >= c.height) continue;
    for (int kw = 0; kw < c.kernel_w; ++kw) {
      const int w = ow * c.stride_w - c.pad_left + kw * c.dilation_w;
      if (w < 0 || w >= c.width) continue;
      const T* pixel = x + ((int64_t(n) * c.height + h) * c.width + w) * c.channels + first;
      const T* weights = kernel + int64_t(kh * c.kernel_w + kw) * depth * c.filters + f;
      for (int d = 0; d < depth; ++d) sum += load(pixel[d]) * load(weights[int64_t(d) * c.filters]);
    }
  }
  return sum;
}

extern "C" __global__ void conv2d_forward(Conv c, const T* x, const T* kernel, const T* bias, T* y,
                                          int64_t items) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int f = int(i % c.filters);
    const int64_t pixel = i / c.filters;
    const int ow = int(pixel % c.out_width), oh = int(pixel / c.out_width % c.out_height);
    A sum = convolve(c, x, kernel, int(pixel / c.out_width / c.out_height), oh, ow, f);
    if (BIAS) sum += load(bias[f]);
    if (RELU && sum < 0) sum = 0;
    y[i] = store<T>(sum);
  }
}

// 255: relu cut it off.
extern "C" __global__ void conv2d_pooled(Conv c, const T* x, const T* kernel, const T* bias, T* y,
                                         uint8_t* index, int64_t items) {
  const int rows = c.out_height / c.pool_h, columns = c.out_width / c.pool_w;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int f = int(i % c.filters);
    const int64_t window = i / c.filters;
    const int pw = int(window % columns), ph = int(window / columns % rows);
    A best = 0;
    int where = 0;
    for (int place = 0; place < c.pool_h * c.pool_w; ++place) {
      const A sum = convolve(c, x, kernel, int(window / columns / rows),
                             ph * c.pool_h + place / c.pool_w, pw * c.pool_w + place % c.pool_w, f);
      if (place > 0 && !(sum > best || sum != sum)) continue;
      best = sum;
      where = place;
    }
    best += load(bias[f]);
    if (RELU && !(best > 0)) where = 255;
    if (RELU && best < 0) best = 0;
    y[i] = store<T>(best);
    index[i] = uint8_t(where);
  }
}
)cuda";

constexpr const char* input_grad_text = R"cuda(
// The position whose place k looks at `in`, or -1.
__device__ int position(int in, int before, int k, int stride, int dilation, int positions) {
  const int t = in + before - k * dilation;
  return t >= 0 && t % stride == 0 && t / stride < positions ? t / stride : -1;
}

extern "C" __global__ void conv2d_input_grad(Conv c, const T* dy, const T* kernel, const T* mask,
                                             T* dx, int64_t items) {
  const int depth = c.channels / c.groups, filters = c.filters / c.groups;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int channel = int(i % c.channels), first = channel / depth * filters;
    const int64_t pixel = i / c.channels;
    const int w = int(pixel % c.width), h = int(pixel / c.width % c.height);
    const int64_t n = pixel / c.width / c.height;
    A sum = 0;
    for (int kh = 0; kh < c.kernel_h; ++kh) {
      const int oh = position(h, c.pad_top, kh, c.stride_h, c.dilation_h, c.out_height);
      if (oh < 0) continue;
      for (int kw = 0; kw < c.kernel_w; ++kw) {
        const int ow = position(w, c.pad_left, kw, c.stride_w, c.dilation_w, c.out_width);
        if (ow < 0) continue;
        const T* out = dy + ((n * c.out_height + oh) * c.out_width + ow) * c.filters + first;
        const T* weights =
            kernel + (int64_t(kh * c.kernel_w + kw) * depth + channel % depth) * c.filters + first;
        for (int f = 0; f < filters; ++f) sum += load(out[f]) * load(weights[f]);
      }
    }
    if (MASKED && !(load(mask[i]) > 0)) sum = 0;
    dx[i] = store<T>(sum);
  }
}
)cuda";

std::string switched(const NodeView& node, const char* name, bool on) {
  return fmt::format("#define RELU {}\n#define {} {}\n", node.text("activation") == "relu" ? 1 : 0,
                     name, on ? 1 : 0);
}

// conv2d without, conv2d_bias with a third input.
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal) || !has_known_activation(node, refusal)) return nullptr;
  const Conv2dProblem p = conv2d_problem(node, node.in[0].shape, node.in[1].shape);
  const bool bias = node.in.size() > 2;
  if (bias && !is_small(p, refusal)) return nullptr;
  auto function =
      make_function(conv2d_text(node.in[0].dtype) + switched(node, "BIAS", bias) + forward_text,
                    "conv2d_forward");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.outputs() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.outputs())}, p, a[0], a[1],
                   bias ? a[2] : nullptr, a[2 + bias], p.outputs());
  });
}

std::unique_ptr<Kernel> plan_pooled(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal) || !has_known_activation(node, refusal)) return nullptr;
  const Conv2dProblem p = conv2d_problem(node, node.in[0].shape, node.in[1].shape);
  if (!is_small(p, refusal)) return nullptr;
  auto function = make_function(
      conv2d_text(node.in[0].dtype) + switched(node, "BIAS", true) + forward_text, "conv2d_pooled");
  const int64_t items = node.out[0].shape.size();
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (items == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(items)}, p, a[0], a[1], a[2], a[3], a[4],
                   items);
  });
}

// conv2d_input_grad without, conv2d_input_grad_masked with a third input.
std::unique_ptr<Kernel> plan_input_grad(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return nullptr;
  const Conv2dProblem p = conv2d_problem(node, node.out[0].shape, node.in[1].shape);
  const bool masked = node.in.size() > 2;
  if (masked && !is_small(p, refusal)) return nullptr;
  auto function = make_function(
      conv2d_text(node.in[0].dtype) + switched(node, "MASKED", masked) + input_grad_text,
      "conv2d_input_grad");
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    if (p.images() == 0) return;
    encoder.launch(*function, {.blocks = blocks_for(p.images())}, p, a[0], a[1],
                   masked ? a[2] : nullptr, a[2 + masked], p.images());
  });
}

const RegisterKernel forward{"conv2d", "direct", reference, plan_forward};
const RegisterKernel with_bias{"conv2d_bias", "direct", reference, plan_forward};
const RegisterKernel pooled{"conv2d_bias_pool", "direct", reference, plan_pooled};
const RegisterKernel input_grad{"conv2d_input_grad", "direct", reference, plan_input_grad};
const RegisterKernel masked_grad{"conv2d_input_grad_masked", "direct", reference, plan_input_grad};

}  // namespace
}  // namespace stoker::cuda
