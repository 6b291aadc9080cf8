#include <algorithm>

#include "core/round_up.h"
#include "ops/conv/conv2d_tiles.h"

// Depthwise convolutions: every channel has its own window. They are limited by memory bandwidth,
// so a thread reads the pixels under a tile's windows once. cuDNN compiles a kernel for each size
// at run time, one after the other; here one source serves all sizes.
namespace stoker::cuda {
namespace {

constexpr int most_places = 25;  // weights of a window are in registers
constexpr int lanes = 4, channel_threads = 8, tiles_of_a_block = 32;  // as in depthwise.cuh

// Matches the kernel file.
struct Depthwise {
  int height, width, channels, out_height, out_width, pad_top, pad_left;
  int channel_blocks, tile_rows, tile_columns;
  unsigned int tiles;
};

struct TileSize {
  int height, width;
};

std::string refused(const Conv2dProblem& p, DType dtype) {
  if (p.groups == 1 || p.groups != p.channels) return "the convolution is not depthwise";
  if (p.filters != p.channels)
    return fmt::format("{} windows of a channel", p.filters / p.channels);
  if (dtype == DType::float64) return "float64 is left to the plain kernel";
  if (p.dilation_h != 1 || p.dilation_w != 1) return "windows have gaps";
  if (p.stride_h != p.stride_w || p.stride_h > 2)
    return fmt::format("strides of {} and {}", p.stride_h, p.stride_w);
  if (p.kernel_h * p.kernel_w > most_places)
    return fmt::format("takes windows of up to {} pixels", most_places);
  if (p.images() == 0 || p.outputs() == 0) return "an operand or the result is empty";
  if (std::max(p.images(), p.outputs()) / p.channels > INT32_MAX)
    return "needs fewer than 2^31 pixels";
  return "";
}

// The number of channels a thread reads at once: a pixel's channels must be aligned to such
// vectors.
int lanes_of(const Conv2dProblem& p) { return p.channels % lanes == 0 ? lanes : 1; }

// With tiles of rows * columns pixels.
Depthwise divide(const Conv2dProblem& p, int rows, int columns, TileSize tile) {
  Depthwise d{p.height, p.width, p.channels, p.out_height, p.out_width, p.pad_top, p.pad_left};
  d.channel_blocks = ceil_div(p.channels, channel_threads * lanes_of(p));
  d.tile_rows = ceil_div(rows, tile.height);
  d.tile_columns = ceil_div(columns, tile.width);
  d.tiles = static_cast<unsigned int>(p.batch) * static_cast<unsigned int>(d.tile_rows) *
            static_cast<unsigned int>(d.tile_columns);
  return d;
}

std::shared_ptr<Function> function_for(const char* file, const char* entry, const Conv2dProblem& p,
                                       DType dtype, TileSize tile) {
  return make_function(KernelSource(file)
                           .type("T", dtype)
                           .constant("lanes", lanes_of(p))
                           .constant("KH", p.kernel_h)
                           .constant("KW", p.kernel_w)
                           .constant("STRIDE", p.stride_h)
                           .constant("TILE_H", tile.height)
                           .constant("TILE_W", tile.width),
                       entry);
}

bool serves(const NodeView& node, const Conv2dProblem& p, std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return false;
  refusal = refused(p, node.in[0].dtype);
  return refusal.empty();
}

int64_t blocks_of(const Depthwise& d) {
  return ceil_div(int64_t{d.tiles}, tiles_of_a_block) * d.channel_blocks;
}

// From images and a kernel to images: a thread per tile of the result.
std::unique_ptr<Kernel> launch_tiles(const Depthwise& d, std::shared_ptr<Function> function) {
  const LaunchShape shape{.blocks = static_cast<unsigned int>(blocks_of(d))};
  return make_kernel({function}, [=](Encoder& encoder, void* const* a, void*) {
    encoder.launch(*function, shape, d, a[0], a[1], a[2]);
  });
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const Conv2dProblem p = conv2d_problem(node, node.in[0].shape, node.in[1].shape);
  if (!serves(node, p, refusal)) return nullptr;
  const TileSize tile{2, p.stride_h == 1 ? 4 : 2};
  return launch_tiles(
      divide(p, p.out_height, p.out_width, tile),
      function_for("conv/depthwise_forward.cuh", "depthwise_forward", p, node.in[0].dtype, tile));
}

// Tiles start where a window can start, which may be outside the image.
std::unique_ptr<Kernel> plan_input_grad(const NodeView& node, std::string& refusal) {
  const Conv2dProblem p = conv2d_problem(node, node.out[0].shape, node.in[1].shape);
  if (!serves(node, p, refusal)) return nullptr;
  const TileSize tile{2, 4};
  return launch_tiles(
      divide(p, p.height + p.pad_top % p.stride_h, p.width + p.pad_left % p.stride_w, tile),
      function_for("conv/depthwise_input_grad.cuh", "depthwise_input_grad", p, node.in[0].dtype,
                   tile));
}

// In two stages, so that the order of the sum is fixed: two blocks per multiprocessor sum over some
// of the tiles each, then the blocks' sums are added.
std::unique_ptr<Kernel> plan_kernel_grad(const NodeView& node, std::string& refusal) {
  const Conv2dProblem p = conv2d_problem(node, node.in[0].shape, node.out[0].shape);
  if (!serves(node, p, refusal)) return nullptr;
  const bool is_large = p.kernel_h * p.kernel_w > 9;  // its sums take most registers
  const TileSize tile{is_large ? 1 : 2, p.stride_h == 1 ? 4 : 2};
  const Depthwise d = divide(p, p.out_height, p.out_width, tile);
  const DType dtype = node.in[0].dtype;
  auto grad =
           function_for("conv/depthwise_kernel_grad.cuh", "depthwise_kernel_grad", p, dtype, tile),
       sum = sum_parts_function(dtype);
  const int64_t wanted = ceil_div(2 * current_gpu().multiprocessors, d.channel_blocks);
  const int64_t slices = std::min(wanted, blocks_of(d) / d.channel_blocks);
  const LaunchShape shape{.blocks = static_cast<unsigned int>(slices * d.channel_blocks)};
  const int64_t size = node.out[0].shape.size();
  return make_kernel(
      {grad, sum},
      [=](Encoder& encoder, void* const* a, void* partial) {
        encoder.launch(*grad, shape, d, a[0], a[1], partial);
        sum_parts(encoder, *sum, partial, a[2], nullptr, size, size, static_cast<int>(slices));
      },
      static_cast<uint64_t>(slices * size) * sizeof(float));
}

const RegisterKernel forward{"conv2d", "depthwise", specialised, plan_forward};
const RegisterKernel input_grad{"conv2d_input_grad", "depthwise", specialised, plan_input_grad};
const RegisterKernel kernel_grad{"conv2d_kernel_grad", "depthwise", specialised, plan_kernel_grad};

}  // namespace
}  // namespace stoker::cuda
