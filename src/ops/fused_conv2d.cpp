#include "graph/graph.h"
#include "ops/infer.h"

// Convolutions with fused epilogues. Added by passes; no gradient.
namespace stoker::ops {
namespace {

TensorType conv_type(Types in, const Attrs& attrs) {
  expect_inputs(in, 3);
  const auto out = graph::infer_types(graph::find_op("conv2d"), in.subspan(0, 2), attrs)[0];
  expect(in[2].shape.size() == out.shape[3],
         fmt::format("a bias {} does not fit {} filters.", to_string(in[2].shape), out.shape[3]));
  return out;
}

double conv_flops(const Shape& out, const Shape& kernel) {
  return 2.0 * static_cast<double>(out.size()) *
         static_cast<double>(kernel[0] * kernel[1] * kernel[2]);
}

// activation(conv2d(x, kernel) + bias)
const RegisterOp conv2d_bias{
    {.name = "conv2d_bias",
     .infer = [](Types in, const Attrs& attrs) { return OutTypes{conv_type(in, attrs)}; },
     .flops = [](Types in, Types out,
                 const Attrs&) { return conv_flops(out[0].shape, in[1].shape); }}};

// The maximum of each non-overlapping window of it, and its index in the window; 255 where relu cut
// it off.
const RegisterOp conv2d_bias_pool{{.name = "conv2d_bias_pool",
                                   .infer =
                                       [](Types in, const Attrs& attrs) {
                                         TensorType out = conv_type(in, attrs);
                                         const auto pool = attrs.integers("pool_size");
                                         expect(pool.size() == 2 && pool[0] * pool[1] < 255,
                                                "needs a window of fewer than 255 elements.");
                                         out.shape[1] /= pool[0];
                                         out.shape[2] /= pool[1];
                                         return OutTypes{out, {DType::uint8, out.shape}};
                                       },
                                   .flops =
                                       [](Types in, Types, const Attrs& attrs) {
                                         return conv_flops(conv_type(in, attrs).shape, in[1].shape);
                                       }}};

// relu_grad(conv2d_input_grad(dy, kernel), mask). Inputs: dy, kernel, mask.
const RegisterOp input_grad_masked{
    {.name = "conv2d_input_grad_masked",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 3);
           const TensorType out{in[0].dtype, Shape(attrs.integers("shape"))};
           expect(in[2] == out, fmt::format("a mask {} does not fit a gradient {}.",
                                            to_string(in[2]), to_string(out)));
           return OutTypes{out};
         },
     .flops = [](Types in, Types, const Attrs&) { return conv_flops(in[0].shape, in[1].shape); }}};

OutTypes infer_kernel_grad(Types in, const Attrs& attrs) {
  expect_inputs(in, 2);
  return {{in[0].dtype, Shape(attrs.integers("shape"))}};
}
OutTypes infer_kernel_grad_pooled(Types in, const Attrs& attrs) {
  expect_inputs(in, 3);
  expect(in[1].shape == in[2].shape, "needs an index for each gradient.");
  return {{in[0].dtype, Shape(attrs.integers("shape"))}};
}
// The same plus the sums of the gradient over all pixels: the bias gradient.
template <OutTypes (*infer)(Types, const Attrs&)>
OutTypes with_bias_grad(Types in, const Attrs& attrs) {
  auto out = infer(in, attrs);
  out.push_back({in[1].dtype, Shape{in[1].shape[3]}});
  return out;
}
double kernel_grad_flops(Types in, Types out, const Attrs&) {
  return conv_flops(in[1].shape, out[0].shape);
}
double kernel_grad_pooled_flops(Types in, Types out, const Attrs& attrs) {
  const auto pool = attrs.integers("pool_size");
  return static_cast<double>(pool[0] * pool[1]) * conv_flops(in[1].shape, out[0].shape);
}

// conv2d_kernel_grad(x, max_pool2d_grad(g, index)). Inputs: x, g, index.
const RegisterOp kernel_grad_pooled{{.name = "conv2d_kernel_grad_pooled",
                                     .infer = infer_kernel_grad_pooled,
                                     .flops = kernel_grad_pooled_flops}};
const RegisterOp kernel_bias_grad{{.name = "conv2d_kernel_bias_grad",
                                   .infer = with_bias_grad<infer_kernel_grad>,
                                   .flops = kernel_grad_flops}};
const RegisterOp kernel_bias_grad_pooled{{.name = "conv2d_kernel_bias_grad_pooled",
                                          .infer = with_bias_grad<infer_kernel_grad_pooled>,
                                          .flops = kernel_grad_pooled_flops}};

// conv2d_kernel_bias_grad(x, g) where g is a matrix product with no other reader, which is never
// written: g = a · wᵀ, zero where the activation is not positive. Inputs: x, a (batch, units), w
// (pixels * filters, units), the activation; with a pool_size, g is the pooled gradient and the
// last input the index, 255 where it is cut off.
const RegisterOp kernel_bias_grad_of_product{
    {.name = "conv2d_kernel_bias_grad_of_product",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 4);
           expect_rank(in[1], 2, "a product's left side");
           expect_rank(in[2], 2, "a product's right side");
           const Shape kernel(attrs.integers("shape"));
           expect(
               in[1].shape[0] == in[0].shape[0] && in[1].shape[1] == in[2].shape[1] &&
                   in[3].shape.size() == in[1].shape[0] * in[2].shape[0],
               fmt::format("a product of {} and {} does not fit {} cut off by {}.",
                           to_string(in[1]), to_string(in[2]), to_string(in[0]), to_string(in[3])));
           return OutTypes{{in[0].dtype, kernel}, {in[0].dtype, Shape{kernel[3]}}};
         },
     .flops =
         [](Types in, Types out, const Attrs& attrs) {
           const auto pool = attrs.integers("pool_size");
           const double places = pool.empty() ? 1.0 : static_cast<double>(pool[0] * pool[1]);
           return 2.0 * static_cast<double>(in[3].shape.size()) *
                  (static_cast<double>(in[1].shape[1]) +
                   places * static_cast<double>(out[0].shape.size() / out[0].shape[3]));
         }}};

}  // namespace
}  // namespace stoker::ops
