#include "ops/infer.h"

namespace stoker::ops {
namespace {

// What a classifier's step takes from its logits, in one pass: the sum of the cross-entropies, how
// many samples' largest softmax is their label, and, with a gradient, the logits' gradient for a
// loss scaled by `scale`, and its sum over the samples (a bias's gradient). Inputs: labels, logits,
// scale (one element). The loss of halves is float32. Passes make these; no gradient.
OutTypes infer(Types in, const Attrs& attrs) {
  const bool gradient = attrs.flag("gradient");
  expect_inputs(in, gradient ? 3 : 2);
  expect_float(in[1]);
  expect(in[1].shape.rank() == 2 && in[0].shape == Shape{in[1].shape[0]},
         fmt::format("labels {} do not fit logits {}.", to_string(in[0].shape),
                     to_string(in[1].shape)));
  OutTypes out{{sum_type(in[1].dtype), Shape{}}, {DType::float32, Shape{}}};
  if (!gradient) return out;
  expect(in[2].dtype == out[0].dtype && in[2].shape.size() == 1, "needs one scale.");
  out.push_back(in[1]);
  out.push_back({in[1].dtype, Shape{in[1].shape[1]}});
  return out;
}

const RegisterOp op{
    {.name = "softmax_head", .infer = infer, .flops = [](Types in, Types, const Attrs&) {
       return 10.0 * static_cast<double>(in[1].shape.size());
     }}};

}  // namespace
}  // namespace stoker::ops
