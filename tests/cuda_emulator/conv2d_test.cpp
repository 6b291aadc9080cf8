#include "ops/conv/conv2d_testing.h"
#include "run_node.h"

// Convolutions on tensor cores, compared with the reference.
namespace stoker::cuda {
namespace {

const TestedConv2d convolutions[] = {
    {.name = "small", .x = {3, 9, 8, 3}, .kernel = {3, 3, 3, 8}},
    {.name = "strided",
     .x = {2, 11, 13, 1},
     .kernel = {5, 2, 1, 32},
     .strides = {2, 1},
     .padding = {2, 2, 0, 1}},
    {.name = "padded below alone",
     .x = {2, 12, 8, 4},
     .kernel = {2, 1, 4, 8},
     .padding = {0, 1, 0, 0}},
};

TEST(TensorConv2d, AgreesWithPlainCode) {
  for (const TestedConv2d& conv : convolutions) {
    SCOPED_TRACE(conv.name);
    for (const TestedNode& node : conv.nodes(DType::float32)) {
      const bool of_tiles = node.op() == "conv2d" || node.op() == "conv2d_bias" ||
                            node.op() == "conv2d_kernel_grad" ||
                            node.op() == "conv2d_kernel_bias_grad";
      if (of_tiles) expect_agreement(node, "tiles", random_inputs(node), 4e-3f);
    }
  }
}

TEST(TensorConv2d, OneByOneIsAProduct) {
  const TestedConv2d conv{.name = "1 x 1", .x = {2, 5, 7, 24}, .kernel = {1, 1, 24, 40}};
  for (const TestedNode& node : conv.nodes(DType::float32))
    if (node.op() == "conv2d" || node.op() == "conv2d_input_grad" ||
        node.op() == "conv2d_kernel_grad")
      expect_agreement(node, "gemm", random_inputs(node), 4e-3f);
}

// Several blocks of channels and of tiles, tiles that extend beyond the image, numbers of channels
// that are no multiples of four.
const TestedConv2d depthwise[] = {
    {.name = "same size",
     .x = {3, 11, 18, 36},
     .kernel = {3, 3, 1, 36},
     .padding = {1, 1, 1, 1},
     .groups = 36},
    {.name = "every second pixel, padded behind",
     .x = {2, 10, 8, 12},
     .kernel = {3, 3, 1, 12},
     .strides = {2, 2},
     .padding = {0, 1, 0, 1},
     .groups = 12},
    {.name = "every second pixel, padded before",
     .x = {1, 9, 7, 7},
     .kernel = {5, 4, 1, 7},
     .strides = {2, 2},
     .padding = {3, 1, 1, 2},
     .groups = 7},
};

TEST(DepthwiseConv2d, AgreesWithPlainCode) {
  for (const TestedConv2d& conv : depthwise) {
    SCOPED_TRACE(conv.name);
    for (const TestedNode& node : conv.nodes(DType::float32))
      if (node.op() == "conv2d" || node.op() == "conv2d_input_grad" ||
          node.op() == "conv2d_kernel_grad")
        expect_agreement(node, "depthwise", random_inputs(node), 1e-5f);
  }
}

}  // namespace
}  // namespace stoker::cuda
