#include "stoker/ops/reduce.h"

#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::ops {
namespace {

std::vector<bool> reduced_axes(const Shape& shape, const Attrs& attrs) {
  std::vector<bool> reduced(static_cast<size_t>(shape.rank()), attrs.integers("axis").empty());
  for (int64_t axis : attrs.integers("axis"))
    reduced[static_cast<size_t>(normalize_axis(axis, shape.rank()))] = true;
  return reduced;
}

Shape reduced_shape(const Shape& shape, const std::vector<bool>& reduced, bool keepdims) {
  std::vector<int64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)])
      dims.push_back(shape[i]);
    else if (keepdims)
      dims.push_back(1);
  }
  return Shape(std::move(dims));
}

OutTypes infer_reduce(Types in, const Attrs& attrs) {
  expect_inputs(in, 1);
  return {{in[0].dtype,
           reduced_shape(in[0].shape, reduced_axes(in[0].shape, attrs), attrs.flag("keepdims"))}};
}

Tensor spread(const Tensor& small, const Shape& shape, const Attrs& attrs) {
  return broadcast_to(reshape(small, reduced_shape(shape, reduced_axes(shape, attrs), true)),
                      shape);
}

std::vector<Tensor> sum_gradient(const Gradient& g) {
  return {spread(g.output_grads[0], g.inputs[0].shape(), g.attrs)};
}

// Tied extremes share the gradient evenly, as in TensorFlow.
std::vector<Tensor> extreme_gradient(const Gradient& g) {
  const Shape& shape = g.inputs[0].shape();
  const Tensor hit =
      cast(equal(g.inputs[0], spread(g.outputs[0], shape, g.attrs)), g.inputs[0].dtype());
  const Tensor count = sum(hit, {g.attrs.integers("axis"), g.attrs.flag("keepdims")});
  return {hit * spread(g.output_grads[0] / count, shape, g.attrs)};
}

double flops_reduce(Types in, Types, const Attrs&) {
  return static_cast<double>(in[0].shape.size());
}

const RegisterOp sum_op{{.name = "reduce_sum",
                         .infer = infer_reduce,
                         .promote = graph::to_totals,
                         .gradient = sum_gradient,
                         .flops = flops_reduce}};
const RegisterOp max_op{{.name = "reduce_max",
                         .infer = infer_reduce,
                         .promote = graph::to_numbers,
                         .gradient = extreme_gradient,
                         .flops = flops_reduce}};
const RegisterOp min_op{{.name = "reduce_min",
                         .infer = infer_reduce,
                         .promote = graph::to_numbers,
                         .gradient = extreme_gradient,
                         .flops = flops_reduce}};

const RegisterOp argmax_op{
    {.name = "argmax",
     .infer =
         [](Types in, const Attrs& attrs) {
           expect_inputs(in, 1);
           std::vector<bool> reduced(static_cast<size_t>(in[0].shape.rank()), false);
           reduced[static_cast<size_t>(normalize_axis(attrs.integer("axis"), in[0].shape.rank()))] =
               true;
           return OutTypes{{DType::int64, reduced_shape(in[0].shape, reduced, false)}};
         },
     .flops = flops_reduce}};

Tensor reduce(const char* op, const Tensor& x, const ReduceArgs& args) {
  return graph::emit1(op, {x}, {{"axis", args.axis}, {"keepdims", int64_t{args.keepdims}}});
}

}  // namespace

Tensor sum(const Tensor& x, const ReduceArgs& args) { return reduce("reduce_sum", x, args); }
Tensor max(const Tensor& x, const ReduceArgs& args) {
  return cast(reduce("reduce_max", x, args), x.dtype());  // of bools: any
}
Tensor min(const Tensor& x, const ReduceArgs& args) {
  return cast(reduce("reduce_min", x, args), x.dtype());
}
Tensor argmax(const Tensor& x, int64_t axis) {
  return graph::emit1("argmax", {x}, {{"axis", axis}});
}

Tensor mean(const Tensor& x, const ReduceArgs& args) {
  const Tensor total = sum(cast(x, graph::float_type(x.dtype())), args);
  const auto count =
      static_cast<double>(x.shape().size()) / static_cast<double>(total.shape().size());
  return total * (1.0 / count);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int extra = x.shape().rank() - shape.rank();
  std::vector<int64_t> axes;
  for (int i = 0; i < x.shape().rank(); ++i)
    if (i < extra || (shape[i - extra] == 1 && x.shape()[i] != 1)) axes.push_back(i);
  const Tensor total = axes.empty() ? x : sum(x, {.axis = axes});
  return total.shape() == shape ? total : reshape(total, shape);
}

}  // namespace stoker::ops
