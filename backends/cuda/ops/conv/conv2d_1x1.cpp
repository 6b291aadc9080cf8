#include <algorithm>

#include "ops/conv/conv2d_problem.h"

// A 1 x 1 convolution is a matrix product: pixels * channels times channels * filters. matmul's
// kernels are compiled already, while cuDNN compiles its own at run time, and they take the weights
// as they are.
namespace stoker::cuda {
namespace {

constexpr int64_t fewest_channels = 8;  // with fewer, tiles read whole windows at once

bool is_one(int64_t value) { return value == 1; }

std::string refused(const NodeView& node, const Shape& kernel) {
  const auto strides = node.integers("strides"), padding = node.integers("padding");
  if (kernel[0] != 1 || kernel[1] != 1) return "the kernel is larger than 1 x 1";
  if (!std::ranges::all_of(strides, is_one)) return "the stride is larger than 1";
  if (std::ranges::any_of(padding, [](int64_t p) { return p != 0; })) return "images are padded";
  if (node.integer("groups", 1) != 1) return "channels are in groups";
  if (kernel[2] < fewest_channels) return fmt::format("there are only {} channels", kernel[2]);
  return "";
}

// All but the last dimension as one.
std::array<int64_t, 2> as_matrix(const Shape& shape) {
  const int64_t columns = shape[-1];
  return {columns > 0 ? shape.size() / columns : 0, columns};
}

// The matmul of the node's two inputs, without a copy.
std::unique_ptr<Kernel> plan_matmul(const NodeView& node, const char* transposed) {
  const std::array<int64_t, 2> dims[] = {as_matrix(node.in[0].shape), as_matrix(node.in[1].shape),
                                         as_matrix(node.out[0].shape)};
  const auto dtype = static_cast<int32_t>(node.in[0].dtype);
  const StokerTensor inputs[] = {{dtype, 2, dims[0].data()}, {dtype, 2, dims[1].data()}};
  const StokerTensor output{dtype, 2, dims[2].data()};
  const StokerAttr attr{.name = transposed, .kind = stoker_int, .i = 1};
  const StokerNode matmul{"matmul", inputs, &output, &attr, 2, 1, transposed ? 1 : 0};
  return plan(NodeView(matmul));
}

std::unique_ptr<Kernel> plan_gemm(const NodeView& node, const Shape& kernel, const char* transposed,
                                  std::string& refusal) {
  if (!is_one_float_type(node, refusal)) return nullptr;
  refusal = refused(node, kernel);
  if (!refusal.empty()) return nullptr;
  try {
    return plan_matmul(node, transposed);
  } catch (const Unsupported& error) {
    refusal = error.message();
    return nullptr;
  }
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  return plan_gemm(node, node.in[1].shape, nullptr, refusal);
}
std::unique_ptr<Kernel> plan_input_grad(const NodeView& node, std::string& refusal) {
  return plan_gemm(node, node.in[1].shape, "transpose_b", refusal);
}
std::unique_ptr<Kernel> plan_kernel_grad(const NodeView& node, std::string& refusal) {
  return plan_gemm(node, node.out[0].shape, "transpose_a", refusal);
}

const RegisterKernel forward{"conv2d", "gemm", specialised, plan_forward};
const RegisterKernel input_grad{"conv2d_input_grad", "gemm", specialised, plan_input_grad};
const RegisterKernel kernel_grad{"conv2d_kernel_grad", "gemm", specialised, plan_kernel_grad};

}  // namespace
}  // namespace stoker::cuda
