#include "stoker/ops/matmul.h"

#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::ops {
namespace {

TensorType product_type(Types in, const Attrs& attrs, int rank, const char* what) {
  expect_inputs(in, 2);
  expect_same_dtype(in);
  expect_float(in[0]);
  for (const TensorType& type : in) expect_rank(type, rank, what);
  const bool ta = attrs.flag("transpose_a"), tb = attrs.flag("transpose_b");
  const int64_t k = in[0].shape[ta ? -2 : -1], other = in[1].shape[tb ? -1 : -2];
  expect(k == other, fmt::format("inner dimensions differ: {} and {}.", k, other));
  TensorType out = in[0];
  out.shape[-2] = in[0].shape[ta ? -1 : -2];
  out.shape[-1] = in[1].shape[tb ? -2 : -1];
  return out;
}

OutTypes infer_matmul(Types in, const Attrs& attrs) {
  return {product_type(in, attrs, 2, "a matrix")};
}

OutTypes infer_batch(Types in, const Attrs& attrs) {
  const TensorType out = product_type(in, attrs, 3, "a batch of matrices");
  const int64_t a = in[0].shape[0], b = in[1].shape[0];
  expect(a == b, fmt::format("batches differ: {} and {}.", a, b));
  return {out};
}

// y = op(a)·op(b): each operand's gradient is one more product, arranged so that no transpose is
// copied.
std::vector<Tensor> gradient_matmul(const Gradient& g) {
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

double flops_matmul(Types in, Types out, const Attrs& attrs) {
  const int64_t k = in[0].shape[attrs.flag("transpose_a") ? -2 : -1];
  return 2.0 * static_cast<double>(out[0].shape.size()) * static_cast<double>(k);
}

const RegisterOp registered{{.name = "matmul",
                             .infer = infer_matmul,
                             .promote = graph::to_one_float,
                             .gradient = gradient_matmul,
                             .flops = flops_matmul}};

// (batch, m, k) x (batch, k, n) → (batch, m, n): batched matrix products.
const RegisterOp batch{{.name = "batch_matmul",
                        .infer = infer_batch,
                        .promote = graph::to_one_float,
                        .gradient = gradient_matmul,
                        .flops = flops_matmul}};

// Joins the axes before the last two.
Tensor as_batch(const Tensor& x) {
  const Shape& shape = x.shape();
  return reshape(x, {-1, shape[-2], shape[-1]});
}

}  // namespace

// Integers are multiplied in float64, which is exact while sums stay below 2^53.
static Tensor matmul_of_integers(const Tensor& a, const Tensor& b, MatmulArgs args) {
  const DType dtype = graph::total_type(graph::result_type(a.dtype(), b.dtype()));
  return cast(matmul(cast(a, DType::float64), cast(b, DType::float64), args), dtype);
}

Tensor matmul(const Tensor& a, const Tensor& b, MatmulArgs args) {
  if (!is_floating(a.dtype()) && !is_floating(b.dtype())) return matmul_of_integers(a, b, args);
  const graph::Attrs attrs{{"transpose_a", int64_t{args.transpose_a}},
                           {"transpose_b", int64_t{args.transpose_b}}};
  const int rank = a.shape().rank();
  if (rank <= 2 || b.shape().rank() != rank) return graph::emit1("matmul", {a, b}, attrs);
  if (rank == 3) return graph::emit1("batch_matmul", {a, b}, attrs);
  const Tensor y = graph::emit1("batch_matmul", {as_batch(a), as_batch(b)}, attrs);
  Shape out = a.shape();
  for (int i = 0; i + 2 < rank; ++i)
    expect(out[i] == b.shape()[i],
           fmt::format("batches differ: {} and {}.", to_string(out), to_string(b.shape())));
  out[-2] = y.shape()[1], out[-1] = y.shape()[2];
  return reshape(y, out);
}

}  // namespace stoker::ops
