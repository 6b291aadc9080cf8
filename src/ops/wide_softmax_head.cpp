#include "ops/infer.h"

namespace stoker::ops {
namespace {

// The end of a step over very many classes, such as a vocabulary: the sum of the cross-entropies
// and, with a gradient, the logits' gradient for a loss scaled by `scale`. Only the first `classes`
// columns of the logits count; what follows them is padding, whose gradient is zero. Inputs:
// labels, logits, scale (one element). The loss of halves is float32. Passes make these.
OutTypes infer(Types in, const Attrs& attrs) {
  const bool gradient = attrs.flag("gradient");
  expect_inputs(in, gradient ? 3 : 2);
  expect_float(in[1]);
  expect(in[1].shape.rank() == 2 && in[0].shape == Shape{in[1].shape[0]},
         fmt::format("labels {} do not fit logits {}.", to_string(in[0].shape),
                     to_string(in[1].shape)));
  const int64_t classes = attrs.integer("classes"), columns = in[1].shape[1];
  expect(classes > 0 && classes <= columns,
         fmt::format("{} columns do not hold {} classes.", columns, classes));
  OutTypes out{{sum_type(in[1].dtype), Shape{}}};
  if (!gradient) return out;
  expect(in[2].dtype == out[0].dtype && in[2].shape.size() == 1, "needs one scale.");
  out.push_back(in[1]);
  return out;
}

const RegisterOp op{
    {.name = "wide_softmax_head", .infer = infer, .flops = [](Types in, Types, const Attrs&) {
       return 10.0 * static_cast<double>(in[1].shape.size());
     }}};

}  // namespace
}  // namespace stoker::ops
