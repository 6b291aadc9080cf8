#include "core/round_up.h"
#include "graph/emit.h"
#include "ops/infer.h"
#include "ops/windows.h"
#include "stoker/ops/conv.h"

namespace stoker::ops {
namespace {

using graph::emit1;

int64_t out_size(const TensorType& x, const Window& w, int axis) {
  const int64_t positions = w.positions(x.shape[axis]);
  expect(x.shape[axis] + w.before + w.after >= w.span(),
         fmt::format("a window of {} does not fit into {} of axis {}.", w.span(),
                     x.shape[axis] + w.before + w.after, axis),
         "use padding \"same\", a smaller kernel or larger images.");
  return positions;
}

OutTypes infer_conv2d(Types in, const Attrs& attrs) {
  expect_inputs(in, 2);
  expect_same_dtype(in);
  expect_float(in[0]);
  expect_rank(in[0], 4, "images (batch, height, width, channels)");
  expect_rank(in[1], 4, "a kernel (height, width, channels, filters)");
  const Shape &x = in[0].shape, &k = in[1].shape;
  const int64_t groups = attrs.integer("groups", 1);
  expect(x[3] == k[2] * groups,
         fmt::format("images have {} channels, the kernel takes {}.", x[3], k[2] * groups));
  expect(k[3] % groups == 0,
         fmt::format("{} filters cannot be split into {} groups.", k[3], groups));
  const int64_t h = out_size(in[0], window(attrs, "kernel_size", 0), 1),
                w = out_size(in[0], window(attrs, "kernel_size", 1), 2);
  return {{in[0].dtype, Shape{x[0], h, w, k[3]}}};
}

// The gradient ops have the shape that does not follow from their inputs as an attribute.
OutTypes infer_shaped(Types in, const Attrs& attrs) {
  expect_inputs(in, 2);
  expect_same_dtype(in);
  return {{in[0].dtype, Shape(attrs.integers("shape"))}};
}

Tensor with_shape(const char* op, const Tensor& a, const Tensor& b, Attrs attrs,
                  const Shape& shape) {
  attrs.set("shape", shape.dims());
  return emit1(op, {a, b}, attrs);
}

std::vector<Tensor> gradient_conv2d(const Gradient& g) {
  const auto &x = g.inputs[0], &k = g.inputs[1], &dy = g.output_grads[0];
  std::vector<Tensor> grads(2);
  if (g.needed[0]) grads[0] = with_shape("conv2d_input_grad", dy, k, g.attrs, x.shape());
  if (g.needed[1]) grads[1] = with_shape("conv2d_kernel_grad", x, dy, g.attrs, k.shape());
  return grads;
}

// Both gradient ops are bilinear in (x, kernel, dy), so their own gradients are the other two ops.
std::vector<Tensor> input_grad_gradient(const Gradient& g) {
  const auto &dy = g.inputs[0], &k = g.inputs[1], &dz = g.output_grads[0];
  std::vector<Tensor> grads(2);
  if (g.needed[0]) grads[0] = emit1("conv2d", {dz, k}, g.attrs);
  if (g.needed[1]) grads[1] = with_shape("conv2d_kernel_grad", dz, dy, g.attrs, k.shape());
  return grads;
}
std::vector<Tensor> kernel_grad_gradient(const Gradient& g) {
  const auto &x = g.inputs[0], &dy = g.inputs[1], &dk = g.output_grads[0];
  std::vector<Tensor> grads(2);
  if (g.needed[0]) grads[0] = with_shape("conv2d_input_grad", dy, dk, g.attrs, x.shape());
  if (g.needed[1]) grads[1] = emit1("conv2d", {x, dk}, g.attrs);
  return grads;
}

double product(const Shape& out, const Shape& kernel) {
  return 2.0 * static_cast<double>(out.size()) *
         static_cast<double>(kernel[0] * kernel[1] * kernel[2]);
}

const RegisterOp conv2d_op{{.name = "conv2d",
                            .infer = infer_conv2d,
                            .promote = graph::to_one_float,
                            .gradient = gradient_conv2d,
                            .flops = [](Types in, Types out, const Attrs&) {
                              return product(out[0].shape, in[1].shape);
                            }}};
const RegisterOp input_grad{
    {.name = "conv2d_input_grad",
     .infer = infer_shaped,
     .promote = graph::to_one_float,
     .gradient = input_grad_gradient,
     .flops = [](Types in, Types, const Attrs&) { return product(in[0].shape, in[1].shape); }}};
const RegisterOp kernel_grad{{.name = "conv2d_kernel_grad",
                              .infer = infer_shaped,
                              .promote = graph::to_one_float,
                              .gradient = kernel_grad_gradient,
                              .flops = [](Types in, Types out, const Attrs&) {
                                return product(in[1].shape, out[0].shape);
                              }}};

Attrs attrs_of(const char* op, const Shape& kernel, const Conv2DArgs& args) {
  if (kernel.rank() != 4)
    throw InvalidArgument(
        fmt::format("[{}] expects a kernel with 4 dimensions, got {}.", op, to_string(kernel)));
  return {{"kernel_size", std::vector<int64_t>{kernel[0], kernel[1]}},
          {"strides", std::vector<int64_t>(args.strides.begin(), args.strides.end())},
          {"dilation", std::vector<int64_t>(args.dilation_rate.begin(), args.dilation_rate.end())},
          {"padding", std::vector<int64_t>(args.padding.begin(), args.padding.end())},
          {"groups", args.groups}};
}

}  // namespace

Tensor conv2d(const Tensor& x, const Tensor& kernel, const Conv2DArgs& args) {
  return emit1("conv2d", {x, kernel}, attrs_of("conv2d", kernel.shape(), args));
}

Tensor conv2d_transpose(const Tensor& x, const Tensor& kernel, Sizes<2> size,
                        const Conv2DArgs& args) {
  const Attrs attrs = attrs_of("conv2d_transpose", kernel.shape(), args);
  const int64_t channels = kernel.shape()[2] * args.groups;
  return with_shape("conv2d_input_grad", x, kernel, attrs,
                    {x.shape()[0], size[0], size[1], channels});
}

std::array<int64_t, 2> same_padding(int64_t size, int64_t window, int64_t stride,
                                    int64_t dilation) {
  const int64_t positions = ceil_div(size, stride), span = (window - 1) * dilation + 1;
  const int64_t total = std::max<int64_t>(0, (positions - 1) * stride + span - size);
  return {total / 2, total - total / 2};
}

}  // namespace stoker::ops
