#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/matmul.h"

// (batch, m, k) x (batch, k, n) → (batch, m, n): as many products as the batch has places.
namespace stoker::ops {
namespace {

OutTypes infer(Types in, const Attrs& attrs) {
  expect_inputs(in, 2);
  expect_same_dtype(in);
  expect_float(in[0]);
  expect_rank(in[0], 3, "a batch of matrices");
  expect_rank(in[1], 3, "a batch of matrices");
  const Shape &a = in[0].shape, &b = in[1].shape;
  expect(a[0] == b[0], fmt::format("batches differ: {} and {}.", a[0], b[0]));
  const bool ta = attrs.flag("transpose_a"), tb = attrs.flag("transpose_b");
  const int64_t k = a[ta ? 1 : 2], other = b[tb ? 2 : 1];
  expect(k == other, fmt::format("inner dimensions differ: {} and {}.", k, other));
  return {{in[0].dtype, Shape{a[0], a[ta ? 2 : 1], b[tb ? 1 : 2]}}};
}

std::vector<Tensor> gradient(const Gradient& g) {
  const auto &a = g.inputs[0], &b = g.inputs[1], &dy = g.output_grads[0];
  const bool ta = g.attrs.flag("transpose_a"), tb = g.attrs.flag("transpose_b");
  std::vector<Tensor> grads(2);
  if (g.needed[0])
    grads[0] = ta ? matmul(b, dy, {.transpose_a = tb, .transpose_b = true})
                  : matmul(dy, b, {.transpose_b = !tb});
  if (g.needed[1])
    grads[1] = tb ? matmul(dy, a, {.transpose_a = true, .transpose_b = ta})
                  : matmul(a, dy, {.transpose_a = !ta});
  return grads;
}

double flops(Types in, Types out, const Attrs& attrs) {
  const int64_t k = in[0].shape[attrs.flag("transpose_a") ? 1 : 2];
  return 2.0 * static_cast<double>(out[0].shape.size()) * static_cast<double>(k);
}

const RegisterOp op{{.name = "batch_matmul", .infer = infer, .gradient = gradient, .flops = flops}};

}  // namespace
}  // namespace stoker::ops
