#include "ops/infer.h"

namespace stoker::ops {
namespace {

// adam_update if the condition holds; otherwise nothing changes. Inputs: weight, m, v, gradient,
// step size, condition and, with attribute "scaled", the divisor of the gradient. The gradient may
// be narrower than the states. Added by passes; no gradient.
OutTypes infer_adam_update_if(Types in, const Attrs& attrs) {
  expect_inputs(in, attrs.flag("scaled") ? 7 : 6);
  expect_same_dtype(in.subspan(0, 3));
  expect_float(in[3]);
  for (size_t i = 1; i < 4; ++i)
    expect(in[i].shape == in[0].shape, fmt::format("{} does not fit the weight {}.",
                                                   to_string(in[i].shape), to_string(in[0].shape)));
  expect(in[4].shape.size() == 1 && in[4].dtype == in[0].dtype, "needs a scalar step size.");
  expect(in[5].shape.size() == 1 && in[5].dtype == DType::boolean, "needs a bool condition.");
  expect(in.size() < 7 || (in[6].shape.size() == 1 && in[6].dtype == in[0].dtype),
         "needs a scalar to divide by.");
  return {in[0], in[1], in[2]};
}

const RegisterOp registered{
    {.name = "adam_update_if",
     .infer = infer_adam_update_if,
     .flops = [](Types in, Types,
                 const Attrs&) { return 13.0 * static_cast<double>(in[0].shape.size()); },
     .in_place = {0, 1, 2}}};

}  // namespace
}  // namespace stoker::ops
