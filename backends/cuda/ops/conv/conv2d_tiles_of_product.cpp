#include "core/round_up.h"
#include "ops/conv/conv2d_tiles_sums.h"

namespace stoker::cuda {
namespace {

constexpr int most_units = 32;
constexpr int most_tile_floats = 12 * 1024;  // several blocks share a multiprocessor

struct ProductTiles {
  Conv2dTiles conv;
  int units, segment, images;

  int segments() const { return ceil_div(conv.result_columns(), segment); }
  int chunks() const { return ceil_div(conv.problem.batch, images); }
  int64_t count() const { return int64_t{chunks()} * conv.result_rows() * segments(); }
  int image_floats() const {
    const Conv2dProblem& p = conv.problem;
    const int line = ((segment * p.pool_w - 1) * p.stride_w + p.kernel_w) * p.channels;
    const int lines = (p.pool_h - 1) * p.stride_h + (p.kernel_h - 1) * p.dilation_h + 1;
    return (lines * line + 11) / 16 * 16 + 4;
  }
  int floats() const {
    const int left = round_up(units, 8) + 8;
    return std::max(images * (image_floats() + left), kernel_grad_sums_floats(conv));
  }
  std::string source() const {
    return conv.source("conv/tiles_of_product.cuh")
        .macro("POOLED_GRADIENT", conv.pooled)
        .constant("UNITS", units)
        .constant("SEGMENT", segment)
        .constant("IMAGES", images);
  }
};

// Large tiles, but enough of them for all multiprocessors.
void choose_sizes(ProductTiles& tiles) {
  // A thread holds the masks of two results of these images.
  const bool wide = !tiles.conv.pooled && tiles.conv.dtype == DType::float32;
  tiles.images = std::min(wide ? 16 : 32, round_up(tiles.conv.problem.batch, 8));
  tiles.segment = std::min(wide ? 32 : 16, tiles.conv.result_columns());
  const auto too_few = [&] {
    return tiles.count() * tiles.conv.filter_blocks() < 2 * int64_t{current_gpu().multiprocessors};
  };
  while (tiles.segment > 4 && (too_few() || tiles.floats() > most_tile_floats))
    tiles.segment = ceil_div(tiles.segment, 2);
  while (tiles.images > 8 && (too_few() || tiles.floats() > most_tile_floats)) tiles.images -= 8;
}

std::unique_ptr<Kernel> plan_of_product(const NodeView& node, std::string& refusal) {
  ProductTiles tiles{};
  Conv2dTiles& conv = tiles.conv;
  if (!plan_tiles(node, node.in[0].shape, node.out[0].shape, conv, refusal)) return nullptr;
  conv.bias = true;
  tiles.units = static_cast<int>(node.in[2].shape[1]);
  if (conv.filter_tiles < 2)
    refusal = fmt::format("needs a multiple of 16 filters, got {}", conv.problem.filters);
  if (tiles.units > most_units || tiles.units == 0)
    refusal = fmt::format("holds rows of 1 to {} units, got {}", most_units, tiles.units);
  if (!refusal.empty()) return nullptr;
  choose_sizes(tiles);
  if (tiles.floats() * 4 > current_gpu().shared_memory) {
    refusal = fmt::format("needs {} bytes of shared memory, and a block has {}", tiles.floats() * 4,
                          current_gpu().shared_memory);
    return nullptr;
  }
  auto grad = make_function(tiles.source(), "conv2d_tiles_of_product"),
       sum = sum_parts_function(conv.dtype);
  const int64_t blocks = conv.blocks(tiles.count(), 3);
  const int64_t weights = node.out[0].shape.size(), size = weights + conv.problem.filters;
  const LaunchShape launch{.blocks = static_cast<unsigned int>(blocks),
                           .threads = Conv2dTiles::threads,
                           .blocks_y = static_cast<unsigned int>(conv.filter_blocks()),
                           .shared_bytes = static_cast<unsigned int>(tiles.floats()) * 4};
  const int batch = conv.problem.batch, chunks = tiles.chunks(),
            count = static_cast<int>(tiles.count());
  return make_kernel(
      {grad, sum},
      [=](Encoder& encoder, void* const* a, void* partial) {
        encoder.launch(*grad, launch, a[0], a[1], a[2], a[3], partial, batch, chunks, count);
        sum_parts(encoder, *sum, partial, a[4], a[5], weights, size, static_cast<int>(blocks));
      },
      static_cast<uint64_t>(blocks * size) * 4);
}

const RegisterKernel of_product{"conv2d_kernel_bias_grad_of_product", "tiles", specialised,
                                plan_of_product};

}  // namespace
}  // namespace stoker::cuda
