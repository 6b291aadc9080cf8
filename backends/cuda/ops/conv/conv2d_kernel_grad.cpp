#include "ops/conv/conv2d_problem.h"

// Plain weight gradients of any shape, in two stages so that the order of the sum is fixed: chunks
// of pixels, then the chunks.
namespace stoker::cuda {
namespace {

constexpr const char* text = R"cuda(
// What weight row r is multiplied with at an output pixel. Behind the weights, a row of ones for the
// bias.
__device__ A factor(const Conv& c, const T* x, int rows, int r, int64_t n, int oh, int ow, int f) {
  if (r == rows) return 1;
  const int depth = c.channels / c.groups, tap = r / depth;
  const int h = oh * c.stride_h - c.pad_top + tap / c.kernel_w * c.dilation_h;
  const int w = ow * c.stride_w - c.pad_left + tap % c.kernel_w * c.dilation_w;
  if (h < 0 || h >= c.height || w < 0 || w >= c.width) return 0;
  const int channel = f / (c.filters / c.groups) * depth + r % depth;
  return load(x[((n * c.height + h) * c.width + w) * c.channels + channel]);
}

// A block: 32 filters of one weight row, 8 pixels at a time.
extern "C" __global__ void conv2d_kernel_grad(Conv c, const T* x, const D* dy, const uint8_t* index,
                                              A* partial, int64_t windows, int64_t per_chunk) {
  __shared__ A sums[256];
  const int blocks = (c.filters + 31) / 32, rows = c.kernel_h * c.kernel_w * (c.channels / c.groups);
  const int r = blockIdx.x / blocks, f = blockIdx.x % blocks * 32 + threadIdx.x % 32;
  const int height = c.out_height / c.pool_h, width = c.out_width / c.pool_w;
  const int64_t first = blockIdx.y * per_chunk;
  const int64_t end = first + per_chunk < windows ? first + per_chunk : windows;
  A sum = 0;
  if (f < c.filters)
    for (int64_t i = first + threadIdx.x / 32; i < end; i += 8) {
      const int place = POOLED ? index[i * c.filters + f] : 0;
      if (place >= c.pool_h * c.pool_w) continue;  // relu cut it off
      const int oh = int(i / width % height) * c.pool_h + place / c.pool_w;
      const int ow = int(i % width) * c.pool_w + place % c.pool_w;
      sum += factor(c, x, rows, r, i / width / height, oh, ow, f) * load(dy[i * c.filters + f]);
    }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x >= 32 || f >= c.filters) return;
  for (int s = 1; s < 8; ++s) sum += sums[s * 32 + threadIdx.x];
  partial[(int64_t(blockIdx.y) * (gridDim.x / blocks) + r) * c.filters + f] = sum;
}

extern "C" __global__ void conv2d_kernel_grad_sum(const A* partial, T* dk, T* dbias, int64_t weights,
                                                  int64_t all, int chunks) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= all) return;
  A sum = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) sum += partial[chunk * all + i];
  if (i < weights) dk[i] = store<T>(sum);
  else dbias[i - weights] = store<T>(sum);
}
)cuda";

// Enough chunks to fill the GPU, but not so few pixels in each that the second stage weighs.
int64_t chunks_for(const Conv2dProblem& p, int64_t blocks) {
  const int64_t wanted = 8 * current_gpu().multiprocessors / std::max<int64_t>(1, blocks);
  return std::clamp<int64_t>(std::min(wanted, p.windows() / 256), 1, 1024);
}

// The two stages for one node. The gradient is read as `type`.
struct DirectGrad {
  Conv2dProblem p;
  int64_t blocks, chunks, per_chunk, all, weights;
  std::shared_ptr<Function> grad, sum;
  uint64_t bytes;  // of the chunks' sums

  DirectGrad(const NodeView& node, bool pooled, const char* type)
      : p(conv2d_problem(node, node.in[0].shape, node.out[0].shape)) {
    const DType dtype = node.in[0].dtype;
    const int64_t rows = p.weight_rows() + (node.out.size() > 1 ? 1 : 0);
    blocks = rows * ((p.filters + 31) / 32);
    chunks = chunks_for(p, blocks);
    per_chunk = (p.windows() + chunks - 1) / chunks;
    all = rows * p.filters;
    weights = node.out[0].shape.size();
    const std::string whole =
        conv2d_text(dtype) +
        fmt::format("typedef {} D;\n#define POOLED {}\n", type, pooled ? 1 : 0) + text;
    grad = make_function(whole, "conv2d_kernel_grad");
    sum = make_function(whole, "conv2d_kernel_grad_sum");
    bytes = static_cast<uint64_t>(chunks * all) * (dtype == DType::float64 ? 8 : 4);
  }
  void encode(Encoder& encoder, void* x, void* dy, void* index, void* partial, void* dk,
              void* dbias) const {
    if (all == 0) return;
    encoder.launch(*grad,
                   {.blocks = static_cast<unsigned int>(blocks),
                    .blocks_y = static_cast<unsigned int>(chunks)},
                   p, x, dy, index, partial, p.windows(), per_chunk);
    encoder.launch(*sum, {.blocks = blocks_for(all)}, partial, dk, dbias, weights, all,
                   static_cast<int>(chunks));
  }
};

// With a third input the gradient is pooled; with a second output the bias's comes along.
std::unique_ptr<Kernel> plan_kernel_grad(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return nullptr;
  const bool pooled = node.in.size() > 2, bias = node.out.size() > 1;
  const DirectGrad direct(node, pooled, "T");
  if ((pooled || bias) && !is_small(direct.p, refusal)) return nullptr;
  return make_kernel(
      {direct.grad, direct.sum},
      [=](Encoder& encoder, void* const* a, void* partial) {
        void* const* out = a + 2 + pooled;
        direct.encode(encoder, a[0], a[1], pooled ? a[2] : nullptr, partial, out[0],
                      bias ? out[1] : nullptr);
      },
      direct.bytes);
}

constexpr const char* product_text = R"cuda(
extern "C" __global__ void masked_product(const T* a, const T* w, const T* mask, A* dy,
                                          int64_t per_image, int units, int64_t items) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= items) return;
  const T *left = a + i / per_image * units, *right = w + i % per_image * units;
  A sum = 0;
  for (int j = 0; j < units; ++j) sum += load(left[j]) * load(right[j]);
  dy[i] = mask && !(load(mask[i]) > 0) ? A(0) : sum;
}
)cuda";

// The gradient is made in scratch memory first.
std::unique_ptr<Kernel> plan_of_product(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return nullptr;
  const bool pooled = !node.integers("pool_size").empty();
  const DirectGrad direct(node, pooled, "A");
  if (!is_small(direct.p, refusal)) return nullptr;
  const DType dtype = node.in[0].dtype;
  auto product = make_function(conv2d_text(dtype) + product_text, "masked_product");
  const int64_t items = node.in[3].shape.size(), per_image = node.in[2].shape[0];
  const int units = static_cast<int>(node.in[2].shape[1]);
  const uint64_t item_bytes = dtype == DType::float64 ? 8 : 4;
  const uint64_t dy_bytes = (static_cast<uint64_t>(items) * item_bytes + 255) / 256 * 256;
  return make_kernel(
      {product, direct.grad, direct.sum},
      [=](Encoder& encoder, void* const* a, void* dy) {
        if (items > 0)
          encoder.launch(*product, {.blocks = blocks_for(items)}, a[1], a[2],
                         pooled ? nullptr : a[3], dy, per_image, units, items);
        direct.encode(encoder, a[0], dy, pooled ? a[3] : nullptr, static_cast<char*>(dy) + dy_bytes,
                      a[4], a[5]);
      },
      dy_bytes + direct.bytes);
}

const RegisterKernel grad{"conv2d_kernel_grad", "direct", reference, plan_kernel_grad};
const RegisterKernel bias_grad{"conv2d_kernel_bias_grad", "direct", reference, plan_kernel_grad};
const RegisterKernel pooled_grad{"conv2d_kernel_grad_pooled", "direct", reference,
                                 plan_kernel_grad};
const RegisterKernel pooled_bias_grad{"conv2d_kernel_bias_grad_pooled", "direct", reference,
                                      plan_kernel_grad};
const RegisterKernel of_product{"conv2d_kernel_bias_grad_of_product", "direct", reference,
                                plan_of_product};

}  // namespace
}  // namespace stoker::cuda
