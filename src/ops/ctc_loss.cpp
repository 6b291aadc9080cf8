#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/ctc.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::ops {
namespace {

// The second output is the posterior probability of each class at each time, given the labels: the
// gradient.
OutTypes infer_ctc_loss(Types in, const Attrs&) {
  expect_inputs(in, 2);
  expect(is_integer(in[0].dtype),
         fmt::format("needs integer labels, got {}.", name_of(in[0].dtype)));
  expect_float(in[1]);
  expect_rank(in[0], 2, "labels (batch, length)");
  expect_rank(in[1], 3, "log-probabilities (batch, times, classes)");
  expect(in[0].shape[0] == in[1].shape[0],
         fmt::format("labels {} do not fit outputs {}.", to_string(in[0].shape),
                     to_string(in[1].shape)));
  return {{in[1].dtype, {in[1].shape[0]}}, in[1]};
}

const RegisterOp registered{
    {.name = "ctc_loss",
     .infer = infer_ctc_loss,
     .gradient =
         [](const Gradient& g) {
           if (!g.output_grads[0].defined()) return std::vector<Tensor>(2);
           const Tensor flows = reshape(g.output_grads[0], {g.inputs[1].shape()[0], 1, 1});
           return std::vector{Tensor(), -(flows * g.outputs[1])};
         },
     .flops =
         [](Types in, Types, const Attrs&) {
           return 12.0 * static_cast<double>(in[1].shape[0] * in[1].shape[1]) *
                  static_cast<double>(2 * in[0].shape[1] + 1);
         }}};

}  // namespace

Tensor ctc_loss(const Tensor& labels, const Tensor& log_probabilities) {
  return graph::emit("ctc_loss", {labels, log_probabilities})[0];
}

}  // namespace stoker::ops
