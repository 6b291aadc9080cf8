#include "ops/conv/conv2d_problem.h"

namespace stoker::cuda {
namespace {

constexpr int64_t most_products_at_once = int64_t{1} << 26;

int narrow(int64_t value) { return static_cast<int>(value); }

void set_window(Conv2dProblem& p, const NodeView& node, const char* size) {
  const auto window = node.integers(size), strides = node.integers("strides"),
             dilation = node.integers("dilation"), padding = node.integers("padding");
  p.kernel_h = narrow(window[0]);
  p.kernel_w = narrow(window[1]);
  p.stride_h = narrow(strides[0]);
  p.stride_w = narrow(strides[1]);
  p.dilation_h = dilation.empty() ? 1 : narrow(dilation[0]);
  p.dilation_w = dilation.empty() ? 1 : narrow(dilation[1]);
  p.pad_top = narrow(padding[0]);
  p.pad_left = narrow(padding[2]);
}

void set_images(Conv2dProblem& p, const Shape& x) {
  p.batch = narrow(x[0]);
  p.height = narrow(x[1]);
  p.width = narrow(x[2]);
  p.channels = narrow(x[3]);
}

int positions(int length, int before, int64_t after, int span, int stride) {
  return narrow((length + before + after - span) / stride + 1);
}

}  // namespace

Conv2dProblem conv2d_problem(const NodeView& node, const Shape& x, const Shape& kernel) {
  Conv2dProblem p{};
  set_images(p, x);
  set_window(p, node, "kernel_size");
  const auto padding = node.integers("padding"), pool = node.integers("pool_size");
  p.filters = narrow(kernel[3]);
  p.groups = narrow(node.integer("groups", 1));
  p.out_height =
      positions(p.height, p.pad_top, padding[1], (p.kernel_h - 1) * p.dilation_h + 1, p.stride_h);
  p.out_width =
      positions(p.width, p.pad_left, padding[3], (p.kernel_w - 1) * p.dilation_w + 1, p.stride_w);
  p.pool_h = pool.empty() ? 1 : narrow(pool[0]);
  p.pool_w = pool.empty() ? 1 : narrow(pool[1]);
  return p;
}

Conv2dProblem pool2d_problem(const NodeView& node, const Shape& x, const Shape& y) {
  Conv2dProblem p{};
  set_images(p, x);
  set_window(p, node, "pool_size");
  p.filters = p.groups = p.channels;
  p.out_height = narrow(y[1]);
  p.out_width = narrow(y[2]);
  p.pool_h = p.pool_w = 1;
  return p;
}

bool is_one_float_type(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  if (!is_floating(dtype)) refusal = "floating-point types only";
  for (const auto* side : {&node.in, &node.out})
    for (const TensorType& type : *side)
      if (type.dtype != dtype && type.dtype != DType::uint8) refusal = "needs one type throughout";
  return refusal.empty();
}

bool has_known_activation(const NodeView& node, std::string& refusal) {
  const std::string activation = node.text("activation");
  if (!activation.empty() && activation != "relu")
    refusal = fmt::format("has relu, not {}", activation);
  return refusal.empty();
}

bool is_small(const Conv2dProblem& p, std::string& refusal) {
  if (p.outputs() * p.weight_rows() > most_products_at_once)
    refusal = fmt::format("separate kernels are faster for {} multiply-adds",
                          p.outputs() * p.weight_rows());
  return refusal.empty();
}

KernelSource conv2d_source(const char* file, DType dtype) {
  return KernelSource(file).type("T", dtype);
}

}  // namespace stoker::cuda
