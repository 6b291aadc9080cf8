#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/normalization.h"
#include "stoker/ops/shape_ops.h"

// One op for each direction, because a graph of small ops would read the images once for every sum
// and write intermediate copies. Attribute activation "relu": applied to the result; the gradient
// recomputes where it was positive. Attribute residual: a fourth input, like the first, is added
// before that.
namespace stoker::ops {
namespace {

using graph::emit;

void expect_rows(Types in, size_t first) {
  expect_float(in[0]);
  expect(in[0].shape.rank() >= 2,
         fmt::format("expects (…, channels), got {}.", to_string(in[0].shape)));
  const TensorType row{in[first].dtype, Shape{in[0].shape.back()}};
  expect_float(in[first]);
  for (size_t i = first; i < in.size(); ++i)
    expect(in[i] == row,
           fmt::format("needs {} for each channel, got {}.", to_string(row), to_string(in[i])));
}

OutTypes infer_batch_norm(Types in, const Attrs& attrs) {
  const bool residual = attrs.flag("residual");
  expect_inputs(in, residual ? 4 : 3);
  expect_rows(in.first(3), 1);
  if (residual) expect(in[3] == in[0], "needs a residual of the same type as the input.");
  return {in[0], in[1], in[1]};
}

OutTypes infer_grad_batch_norm(Types in, const Attrs&) {
  expect_inputs(in, 6);
  expect(in[0] == in[1], "needs a gradient of the same type as the input.");
  expect_rows(in, 2);
  return {in[1], in[2], in[2]};
}

// The gradient through the statistics outputs, if they are used.
Tensor through_statistics(const Gradient& g) {
  const Tensor &x = g.inputs[0], &mean = g.outputs[1];
  const double count =
      static_cast<double>(x.shape().size()) / static_cast<double>(mean.shape().size());
  Tensor sum;
  if (g.output_grads[1].defined()) sum = g.output_grads[1] / count;
  if (g.output_grads[2].defined()) {
    const Tensor spread = (cast(x, mean.dtype()) - mean) * (g.output_grads[2] * (2 / count));
    sum = sum.defined() ? sum + spread : spread;
  }
  return cast(sum, x.dtype());
}

std::vector<Tensor> gradient_batch_norm(const Gradient& g) {
  const bool statistics = g.output_grads[1].defined() || g.output_grads[2].defined(),
             residual = g.attrs.flag("residual");
  std::vector<Tensor> grads(g.inputs.size());
  if (Tensor dy = g.output_grads[0]; dy.defined()) {
    Attrs attrs = g.attrs;
    if (residual) {
      if (attrs.text("activation") == "relu") dy = emit("relu_grad", {dy, g.outputs[0]}, {})[0];
      attrs = {{"epsilon", attrs.number("epsilon", 1e-3)}};
    }
    grads = emit("batch_norm_grad",
                 {dy, g.inputs[0], g.outputs[1], g.outputs[2], g.inputs[1], g.inputs[2]}, attrs);
    if (residual) grads.push_back(dy);
  }
  if (statistics) {
    const Tensor more = through_statistics(g);
    grads[0] = grads[0].defined() ? grads[0] + more : broadcast_to(more, g.inputs[0].shape());
  }
  return grads;
}

double flops_batch_norm(Types in, Types, const Attrs&) {
  return 8.0 * static_cast<double>(in[0].shape.size());
}

const RegisterOp forward_op{{.name = "batch_norm",
                             .infer = infer_batch_norm,
                             .promote = graph::to_floats,
                             .gradient = gradient_batch_norm,
                             .flops = flops_batch_norm}};
// dy, x, mean, variance, gamma, beta → dx, dgamma, dbeta
const RegisterOp grad_op{
    {.name = "batch_norm_grad", .infer = infer_grad_batch_norm, .flops = flops_batch_norm}};

}  // namespace

BatchNorm batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon) {
  const auto made = emit("batch_norm", {x, gamma, beta}, {{"epsilon", epsilon}});
  return {made[0], made[1], made[2]};
}

}  // namespace stoker::ops
