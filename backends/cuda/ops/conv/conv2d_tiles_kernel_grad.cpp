#include "ops/conv/conv2d_tiles_sums.h"

namespace stoker::cuda {
namespace {

// With a third input the gradient is pooled; with a second output the bias's gradient is computed,
// too.
std::unique_ptr<Kernel> plan_kernel_grad(const NodeView& node, std::string& refusal) {
  Conv2dTiles tiles;
  if (!plan_tiles(node, node.in[0].shape, node.out[0].shape, tiles, refusal)) return nullptr;
  const bool pooled = tiles.pooled, bias = node.out.size() > 1;
  tiles.bias = bias;
  auto grad = make_function(tiles.source("conv/tiles_kernel_grad.cuh"), "conv2d_tiles_kernel_grad"),
       sum = sum_parts_function(tiles.dtype);
  const int64_t blocks = tiles.blocks(tiles.all_strips(), 5), weights = node.out[0].shape.size();
  const int64_t size = weights + (bias ? tiles.problem.filters : 0);
  const LaunchShape launch{
      .blocks = static_cast<unsigned int>(blocks),
      .threads = Conv2dTiles::threads,
      .blocks_y = static_cast<unsigned int>(tiles.filter_blocks()),
      .shared_bytes = static_cast<unsigned int>(
                          std::max(tiles.strip_floats(), kernel_grad_sums_floats(tiles))) *
                      4};
  const int strips = static_cast<int>(tiles.all_strips());
  return make_kernel(
      {grad, sum},
      [=](Encoder& encoder, void* const* a, void* partial) {
        void* const* out = a + 2 + pooled;
        encoder.launch(*grad, launch, a[0], a[1], pooled ? a[2] : nullptr, partial, strips);
        sum_parts(encoder, *sum, partial, out[0], bias ? out[1] : nullptr, weights, size,
                  static_cast<int>(blocks));
      },
      static_cast<uint64_t>(blocks * size) * 4);
}

const RegisterKernel grad{"conv2d_kernel_grad", "tiles", specialised, plan_kernel_grad};
const RegisterKernel bias_grad{"conv2d_kernel_bias_grad", "tiles", specialised, plan_kernel_grad};
const RegisterKernel pooled_grad{"conv2d_kernel_grad_pooled", "tiles", specialised,
                                 plan_kernel_grad};
const RegisterKernel pooled_bias_grad{"conv2d_kernel_bias_grad_pooled", "tiles", specialised,
                                      plan_kernel_grad};

}  // namespace
}  // namespace stoker::cuda
