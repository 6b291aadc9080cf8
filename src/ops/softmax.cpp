#include "stoker/ops/softmax.h"

#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::ops {
namespace {

using graph::emit1;

// The ops work on the last axis; another axis is transposed there.
OutTypes infer_same_softmax(Types in, const Attrs&) {
  expect_inputs(in, 1);
  expect_float(in[0]);
  expect(in[0].shape.rank() >= 1, "needs at least one axis.");
  return {in[0]};
}

double flops_softmax(Types in, Types, const Attrs&) {
  return 5.0 * static_cast<double>(in[0].shape.size());
}

std::vector<Tensor> softmax_gradient(const Gradient& g) {
  const auto &y = g.outputs[0], &dy = g.output_grads[0];
  return {y * (dy - sum(dy * y, {.axis = {-1}, .keepdims = true}))};
}
std::vector<Tensor> log_softmax_gradient(const Gradient& g) {
  const auto& dy = g.output_grads[0];
  return {dy - softmax(g.inputs[0]) * sum(dy, {.axis = {-1}, .keepdims = true})};
}

const RegisterOp softmax_op{{.name = "softmax",
                             .infer = infer_same_softmax,
                             .promote = graph::to_floats,
                             .gradient = softmax_gradient,
                             .flops = flops_softmax}};
const RegisterOp log_softmax_op{{.name = "log_softmax",
                                 .infer = infer_same_softmax,
                                 .promote = graph::to_floats,
                                 .gradient = log_softmax_gradient,
                                 .flops = flops_softmax}};

Shape without_last(const Shape& shape) {
  auto dims = shape.dims();
  dims.pop_back();
  return Shape(std::move(dims));
}

OutTypes infer_sparse(Types in, const Attrs&) {
  expect_inputs(in, 2);
  expect(is_integer(in[0].dtype),
         fmt::format("needs integer labels, got {}.", name_of(in[0].dtype)));
  expect_float(in[1]);
  expect(in[1].shape.rank() >= 1 && in[0].shape == without_last(in[1].shape),
         fmt::format("labels {} do not fit outputs {}.", to_string(in[0].shape),
                     to_string(in[1].shape)));
  return {{in[1].dtype, in[0].shape}};
}

// softmax(logits) - one_hot(labels), each row times its loss's gradient: one fused op. It takes the
// softmax, which the model computes anyway.
const RegisterOp sparse_grad{
    {.name = "sparse_softmax_cross_entropy_grad",
     .infer = [](Types in, const Attrs&) { return OutTypes{in[1]}; },
     .flops = [](Types in, Types,
                 const Attrs&) { return 2.0 * static_cast<double>(in[1].shape.size()); }}};

const RegisterOp sparse_op{
    {.name = "sparse_softmax_cross_entropy",
     .infer = infer_sparse,
     .gradient =
         [](const Gradient& g) {
           return std::vector{Tensor(),
                              emit1("sparse_softmax_cross_entropy_grad",
                                    {g.inputs[0], softmax(g.inputs[1]), g.output_grads[0]})};
         },
     .flops = [](Types in, Types,
                 const Attrs&) { return 4.0 * static_cast<double>(in[1].shape.size()); }}};

}  // namespace

static Tensor along_axis(const char* op, const Tensor& x, int64_t axis) {
  const int rank = x.shape().rank(), at = normalize_axis(axis, rank);
  if (at == rank - 1) return emit1(op, {x});
  std::vector<int64_t> swap(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) swap[static_cast<size_t>(i)] = i;
  std::swap(swap[static_cast<size_t>(at)], swap.back());
  return transpose(emit1(op, {transpose(x, swap)}), swap);
}

Tensor softmax(const Tensor& x, int64_t axis) { return along_axis("softmax", x, axis); }
Tensor log_softmax(const Tensor& x, int64_t axis) { return along_axis("log_softmax", x, axis); }

Tensor sparse_softmax_cross_entropy(const Tensor& labels, const Tensor& logits) {
  return emit1("sparse_softmax_cross_entropy", {labels, logits});
}

Tensor softmax_cross_entropy(const Tensor& target, const Tensor& logits) {
  return negative(sum(target * log_softmax(logits), {.axis = {-1}}));
}

}  // namespace stoker::ops
