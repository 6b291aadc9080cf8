#include "graph/emit.h"
#include "graph/trace.h"
#include "ops/infer.h"
#include "ops/windows.h"
#include "stoker/ops/conv.h"
#include "stoker/ops/elementwise.h"

namespace stoker::ops {
namespace {

using graph::emit;
using graph::emit1;

Shape pooled(const TensorType& x, const Attrs& attrs) {
  expect_rank(x, 4, "images (batch, height, width, channels)");
  Shape shape = x.shape;
  for (int axis = 0; axis < 2; ++axis) {
    const Window w = window(attrs, "pool_size", axis);
    expect(x.shape[axis + 1] + w.before + w.after >= w.size,
           fmt::format("a window of {} does not fit into {} of axis {}.", w.size, x.shape[axis + 1],
                       axis + 1));
    shape[axis + 1] = w.positions(x.shape[axis + 1]);
  }
  return shape;
}

// Max pooling outputs the index of the maximum in its window (row * width + column, ties go to the
// first), so that the gradient needs neither the input nor the output.
OutTypes infer_max(Types in, const Attrs& attrs) {
  expect_inputs(in, 1);
  const auto size = attrs.integers("pool_size");
  expect(size[0] * size[1] <= 256,
         fmt::format("a {} x {} window has more than 256 elements.", size[0], size[1]));
  const Shape shape = pooled(in[0], attrs);
  return {{in[0].dtype, shape}, {DType::uint8, shape}};
}

OutTypes infer_average(Types in, const Attrs& attrs) {
  expect_inputs(in, 1);
  expect_float(in[0]);
  return {{in[0].dtype, pooled(in[0], attrs)}};
}

OutTypes infer_grad_pool2d(Types in, const Attrs& attrs) {
  return {{in[0].dtype, Shape(attrs.integers("shape"))}};
}

Attrs shaped(Attrs attrs, const Shape& shape) {
  attrs.set("shape", shape.dims());
  return attrs;
}

const RegisterOp max_op{{.name = "max_pool2d",
                         .infer = infer_max,
                         .promote = graph::to_numbers,
                         .gradient = [](const Gradient& g) {
                           return std::vector{emit1("max_pool2d_grad",
                                                    {g.output_grads[0], g.outputs[1]},
                                                    shaped(g.attrs, g.inputs[0].shape()))};
                         }}};
const RegisterOp max_grad{{.name = "max_pool2d_grad", .infer = infer_grad_pool2d}};

const RegisterOp average_op{{.name = "average_pool2d",
                             .infer = infer_average,
                             .promote = graph::to_floats,
                             .gradient = [](const Gradient& g) {
                               return std::vector{emit1("average_pool2d_grad", {g.output_grads[0]},
                                                        shaped(g.attrs, g.inputs[0].shape()))};
                             }}};
const RegisterOp average_grad{
    {.name = "average_pool2d_grad", .infer = infer_grad_pool2d, .gradient = [](const Gradient& g) {
       return std::vector{emit1("average_pool2d", {g.output_grads[0]}, g.attrs)};
     }}};

Attrs pool_attrs(const Pool2DArgs& args) {
  return {{"pool_size", std::vector<int64_t>(args.pool_size.begin(), args.pool_size.end())},
          {"strides", std::vector<int64_t>(args.strides.begin(), args.strides.end())},
          {"padding", std::vector<int64_t>(args.padding.begin(), args.padding.end())}};
}

}  // namespace

// relu and max commute, and pooling first leaves less work; where the pooled maximum is negative
// the gradient is zero either way. In a trace the first relu then has no reader and is dropped.
Tensor max_pool2d(const Tensor& x, const Pool2DArgs& args) {
  if (const graph::Node* node = graph::producer_of(x); node && node->op->name == "relu")
    return relu(emit("max_pool2d", {graph::input_of(x, 0)}, pool_attrs(args))[0]);
  return emit("max_pool2d", {x}, pool_attrs(args))[0];
}

Tensor average_pool2d(const Tensor& x, const Pool2DArgs& args) {
  return emit1("average_pool2d", {x}, pool_attrs(args));
}

}  // namespace stoker::ops
