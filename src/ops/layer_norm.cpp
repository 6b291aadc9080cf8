#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/normalization.h"

// One op for each direction: a row is read once, and only two numbers per row are kept for the
// gradient.
namespace stoker::ops {
namespace {

using graph::emit;

// The type of a row's statistics.
DType wide(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }

Shape rows_of(const Shape& x) {
  auto dims = x.dims();
  dims.pop_back();
  return Shape(std::move(dims));
}

void expect_columns(const TensorType& x, const TensorType& column) {
  expect_float(column);
  expect(column.shape == Shape{x.shape.back()},
         fmt::format("needs {} numbers, one for each column of {}, got {}.", x.shape.back(),
                     to_string(x.shape), to_string(column.shape)));
}

OutTypes infer_layer_norm(Types in, const Attrs&) {
  expect_inputs(in, 3);
  expect_float(in[0]);
  expect(in[0].shape.rank() >= 1, "needs at least one axis.");
  expect_columns(in[0], in[1]);
  expect_columns(in[0], in[2]);
  expect(in[1].dtype == in[2].dtype, "needs gamma and beta of one dtype.");
  const TensorType row{wide(in[0].dtype), rows_of(in[0].shape)};
  return {in[0], row, row};
}

OutTypes infer_grad_layer_norm(Types in, const Attrs&) {
  expect_inputs(in, 5);
  expect(in[0] == in[1], "needs a gradient of the same type as the input.");
  return {in[1], in[4], in[4]};
}

double flops_layer_norm(Types in, Types, const Attrs&) {
  return 8.0 * static_cast<double>(in[0].shape.size());
}

// x, gamma, beta → y, mean and 1 / standard deviation of each row; the latter have no gradient.
const RegisterOp forward_op{
    {.name = "layer_norm",
     .infer = infer_layer_norm,
     .promote = graph::to_floats,
     .gradient =
         [](const Gradient& g) {
           return emit("layer_norm_grad",
                       {g.output_grads[0], g.inputs[0], g.outputs[1], g.outputs[2], g.inputs[1]},
                       g.attrs);
         },
     .flops = flops_layer_norm}};
// dy, x, mean, 1 / standard deviation, gamma → dx, dgamma, dbeta
const RegisterOp grad_op{
    {.name = "layer_norm_grad", .infer = infer_grad_layer_norm, .flops = flops_layer_norm}};

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon) {
  return graph::emit1("layer_norm", {x, gamma, beta}, {{"epsilon", epsilon}});
}

}  // namespace stoker::ops
