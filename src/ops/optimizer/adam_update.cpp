#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/update.h"

namespace stoker::ops {
namespace {

OutTypes infer_adam_update(Types in, const Attrs&) {
  expect_inputs(in, 5);
  expect_same_dtype(in);
  for (size_t i = 1; i < 4; ++i)
    expect(in[i].shape == in[0].shape, fmt::format("{} does not fit the weight {}.",
                                                   to_string(in[i].shape), to_string(in[0].shape)));
  expect(in[4].shape.size() == 1, "needs a scalar step size.");
  return {in[0], in[1], in[2]};
}

const RegisterOp registered{
    {.name = "adam_update",
     .infer = infer_adam_update,
     .flops = [](Types in, Types,
                 const Attrs&) { return 12.0 * static_cast<double>(in[0].shape.size()); },
     .in_place = {0, 1, 2}}};

}  // namespace

std::array<Tensor, 3> adam_update(const Tensor& weight, const Tensor& m, const Tensor& v,
                                  const Tensor& gradient, const Tensor& step_size,
                                  const AdamArgs& args) {
  auto out =
      graph::emit("adam_update", {weight, m, v, gradient, step_size},
                  {{"beta_1", args.beta_1}, {"beta_2", args.beta_2}, {"epsilon", args.epsilon}});
  return {out[0], out[1], out[2]};
}

}  // namespace stoker::ops
