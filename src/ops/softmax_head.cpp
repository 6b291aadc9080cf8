#include "ops/infer.h"

// Softmax heads of classifiers, each one pass over the logits. Inputs: labels, logits and, with a
// gradient, the scale of the loss (one element). The loss of float16 and bfloat16 is float32. Added
// by passes; no gradient.
namespace stoker::ops {
namespace {

// The type of the loss.
TensorType expect_head(Types in, bool gradient) {
  expect_inputs(in, gradient ? 3 : 2);
  expect_float(in[1]);
  expect(in[1].shape.rank() == 2 && in[0].shape == Shape{in[1].shape[0]},
         fmt::format("labels {} do not fit logits {}.", to_string(in[0].shape),
                     to_string(in[1].shape)));
  const DType dtype = sum_type(in[1].dtype);
  if (gradient) expect(in[2].dtype == dtype && in[2].shape.size() == 1, "needs one scale.");
  return {dtype, Shape{}};
}

// The sum of the cross-entropies, the number of samples whose argmax is their label, and, with a
// gradient, the logits' gradient and its sum over the samples (a bias's gradient).
OutTypes infer_softmax_head(Types in, const Attrs& attrs) {
  const bool gradient = attrs.flag("gradient");
  OutTypes out{expect_head(in, gradient), {DType::float32, Shape{}}};
  if (!gradient) return out;
  out.push_back(in[1]);
  out.push_back({in[1].dtype, Shape{in[1].shape[1]}});
  return out;
}

// For very many classes, such as a vocabulary: only the sum and the gradient. Only the first
// `classes` columns of the logits are used; the rest is padding with zero gradient.
OutTypes infer_wide(Types in, const Attrs& attrs) {
  const bool gradient = attrs.flag("gradient");
  OutTypes out{expect_head(in, gradient)};
  const int64_t classes = attrs.integer("classes"), columns = in[1].shape[1];
  expect(classes > 0 && classes <= columns,
         fmt::format("{} columns do not hold {} classes.", columns, classes));
  if (gradient) out.push_back(in[1]);
  return out;
}

double flops_softmax_head(Types in, Types, const Attrs&) {
  return 10.0 * static_cast<double>(in[1].shape.size());
}

const RegisterOp head{
    {.name = "softmax_head", .infer = infer_softmax_head, .flops = flops_softmax_head}};
const RegisterOp wide{
    {.name = "wide_softmax_head", .infer = infer_wide, .flops = flops_softmax_head}};

}  // namespace
}  // namespace stoker::ops
