#include "ops/conv/conv2d_tiles.h"

namespace stoker::cuda {
namespace {

// conv2d, conv2d_bias with a third input, conv2d_bias_pool with a second output.
std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  Conv2dTiles tiles;
  if (!plan_tiles(node, node.in[0].shape, node.in[1].shape, tiles, refusal)) return nullptr;
  tiles.bias = node.in.size() > 2;
  auto function = make_function(tiles.source("conv/tiles_forward.cuh"), "conv2d_tiles");
  const LaunchShape launch{.blocks = static_cast<unsigned int>(tiles.blocks(tiles.all_strips(), 5)),
                           .threads = Conv2dTiles::threads,
                           .blocks_y = static_cast<unsigned int>(tiles.filter_blocks()),
                           .shared_bytes = static_cast<unsigned int>(tiles.strip_floats()) * 4};
  const size_t inputs = node.in.size();
  const int strips = static_cast<int>(tiles.all_strips());
  const bool pooled = tiles.pooled;
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, launch, a[0], a[1], inputs > 2 ? a[2] : nullptr, a[inputs],
                   pooled ? a[inputs + 1] : nullptr, strips);
  });
}

const RegisterKernel forward{"conv2d", "tiles", specialised, plan_forward};
const RegisterKernel with_bias{"conv2d_bias", "tiles", specialised, plan_forward};
const RegisterKernel pooled{"conv2d_bias_pool", "tiles", specialised, plan_forward};

}  // namespace
}  // namespace stoker::cuda
