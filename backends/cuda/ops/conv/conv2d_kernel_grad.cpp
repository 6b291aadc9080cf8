#include "core/round_up.h"
#include "ops/conv/conv2d_problem.h"

// Plain weight gradients of any shape, in two stages so that the order of the sum is fixed: chunks
// of pixels, then the chunks.
namespace stoker::cuda {
namespace {

// Enough chunks to fill the GPU, but with enough pixels each that the second stage costs little.
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
    blocks = rows * ceil_div(p.filters, 32);
    chunks = chunks_for(p, blocks);
    per_chunk = ceil_div(p.windows(), chunks);
    all = rows * p.filters;
    weights = node.out[0].shape.size();
    const std::string source = conv2d_source("conv/conv2d_kernel_grad.cuh", dtype)
                                   .constant("POOLED", pooled)
                                   .macro("GRADIENT_TYPE", type);
    grad = make_function(source, "conv2d_kernel_grad");
    sum = make_function(source, "conv2d_kernel_grad_sum");
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

// With a third input the gradient is pooled; with a second output the bias's gradient is computed,
// too.
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

// The gradient is first written to scratch memory.
std::unique_ptr<Kernel> plan_of_product(const NodeView& node, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return nullptr;
  const bool pooled = !node.integers("pool_size").empty();
  const DirectGrad direct(node, pooled, "A");
  if (!is_small(direct.p, refusal)) return nullptr;
  const DType dtype = node.in[0].dtype;
  auto product = make_function(conv2d_source("conv/masked_product.cuh", dtype), "masked_product");
  const int64_t items = node.in[3].shape.size(), per_image = node.in[2].shape[0];
  const int units = static_cast<int>(node.in[2].shape[1]);
  const uint64_t item_bytes = dtype == DType::float64 ? 8 : 4;
  const uint64_t dy_bytes = round_up(static_cast<uint64_t>(items) * item_bytes, 256);
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
