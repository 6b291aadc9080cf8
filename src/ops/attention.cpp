#include "stoker/ops/attention.h"

#include <cstdlib>

#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::ops {
namespace {

template <class Sees>
Tensor mask_of(int64_t queries, int64_t keys, Sees&& sees) {
  Array mask(DType::boolean, {queries, keys});
  auto bytes = mask.mutable_data<bool>();
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j) bytes[static_cast<size_t>(i * keys + j)] = sees(i, j);
  return mask;
}

// "attention": q (n, queries, size), k (n, keys, size), v (n, keys, value size) and optionally a
// bool mask (m, queries or 1, keys), each used for n / m consecutive matrices. Outputs: the result,
// and for each query the log-sum-exp of its scores, from which the gradient recomputes the weights.
OutTypes infer_attention(Types in, const Attrs& attrs) {
  const bool masked = attrs.flag("masked");
  expect_inputs(in, masked ? 4 : 3);
  for (const TensorType& type : in.first(3)) expect_rank(type, 3, "a batch of matrices");
  expect_float(in[0]);
  expect_same_dtype(in.first(3));
  const Shape &q = in[0].shape, &k = in[1].shape, &v = in[2].shape;
  expect(q[0] == k[0] && k[0] == v[0] && q[2] == k[2] && k[1] == v[1],
         fmt::format("queries {}, keys {} and values {} do not fit.", to_string(q), to_string(k),
                     to_string(v)));
  expect(k[1] > 0, "needs at least one key.");
  if (masked) {
    const Shape& mask = in[3].shape;
    expect(in[3].dtype == DType::boolean, "the mask must be bool.");
    expect(mask.rank() == 3 && mask[0] > 0 && q[0] % mask[0] == 0 &&
               (mask[1] == 1 || mask[1] == q[1]) && mask[2] == k[1],
           fmt::format("mask {} does not fit queries {} and keys {}.", to_string(mask),
                       to_string(q), to_string(k)));
  }
  const DType sums = in[0].dtype == DType::float64 ? DType::float64 : DType::float32;
  return {{in[0].dtype, {q[0], q[1], v[2]}}, {sums, {q[0], q[1]}}};
}

// A single key's weight is always 1, so its score has no gradient: kernels would leave rounding
// errors.
std::vector<Tensor> gradient_of_one_key(const Gradient& g) {
  std::vector<Tensor> grads{zeros_like(g.inputs[0]), zeros_like(g.inputs[1]),
                            sum(g.output_grads[0], {.axis = {1}, .keepdims = true})};
  grads.resize(g.inputs.size());
  return grads;
}

std::vector<Tensor> gradient_attention(const Gradient& g) {
  if (g.inputs[1].shape()[1] == 1) return gradient_of_one_key(g);
  std::vector<Tensor> inputs{g.inputs[0],  g.inputs[1],  g.inputs[2],
                             g.outputs[0], g.outputs[1], g.output_grads[0]};
  if (g.attrs.flag("masked")) inputs.push_back(g.inputs[3]);
  std::vector<Tensor> grads = graph::emit("attention_grad", inputs, g.attrs);
  grads.resize(g.inputs.size());
  return grads;
}

graph::DTypes floats_and_mask(Types in) {
  graph::DTypes wanted = graph::to_one_float(in.first(3));
  if (in.size() > 3) wanted.push_back(DType::boolean);
  return wanted;
}

double flops_attention(Types in, Types, const Attrs& attrs) {
  const auto size = [&](size_t i) { return static_cast<double>(in[i].shape.size()); };
  const double all = 2 *
                     (size(0) + size(2) / static_cast<double>(in[2].shape[1]) *
                                    static_cast<double>(in[0].shape[1])) *
                     static_cast<double>(in[1].shape[1]);
  return attrs.flag("causal") ? all / 2 : all;
}

const RegisterOp registered{{.name = "attention",
                             .infer = infer_attention,
                             .promote = floats_and_mask,
                             .gradient = gradient_attention,
                             .flops = flops_attention}};

// Inputs: q, k, v, the result, the log-sum-exps, the result's gradient, [mask]; outputs: gradients
// of q, k, v.
const RegisterOp grad{
    {.name = "attention_grad",
     .infer =
         [](Types in, const Attrs&) {
           return OutTypes{in[0], in[1], in[2]};
         },
     .flops = [](Types in, Types out,
                 const Attrs& attrs) { return 2.5 * flops_attention(in, out, attrs); }}};

// (batch, positions, heads, size) → (batch * heads, positions, size), and back.
Tensor by_head(const Tensor& x) {
  const Shape& s = x.shape();
  return reshape(transpose(x, {0, 2, 1, 3}), {s[0] * s[2], s[1], s[3]});
}
Tensor by_place(const Tensor& x, int64_t batch) {
  const Shape& s = x.shape();
  return transpose(reshape(x, {batch, s[0] / batch, s[1], s[2]}), {0, 2, 1, 3});
}

// Reshapes a mask that broadcasts to (batch, heads, queries, keys) for the op.
Tensor flat_mask(const Tensor& mask, const Shape& q, int64_t keys) {
  Tensor m = mask;
  while (m.shape().rank() < 4) m = expand_dims(m, 0);
  const Shape& s = m.shape();
  if (s[1] != 1) return reshape(broadcast_to(m, {q[0], q[2], s[2], keys}), {-1, s[2], keys});
  return reshape(s[3] == keys ? m : broadcast_to(m, {s[0], 1, s[2], keys}), {s[0], s[2], keys});
}

}  // namespace

Tensor causal_mask(int64_t queries, int64_t keys) {
  return mask_of(queries, keys, [](int64_t i, int64_t j) { return j <= i; });
}

Tensor sliding_window_mask(int64_t queries, int64_t keys, int64_t window) {
  return mask_of(queries, keys, [&](int64_t i, int64_t j) { return std::abs(i - j) < window; });
}

Tensor dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                             const AttentionArgs& args) {
  for (const Tensor* x : {&q, &k, &v})
    expect(x->shape().rank() == 4,
           fmt::format("attention takes (batch, positions, heads, size), got {}.",
                       to_string(x->shape())));
  std::vector<Tensor> inputs{by_head(q), by_head(k), by_head(v)};
  if (args.mask.defined()) inputs.push_back(flat_mask(args.mask, q.shape(), k.shape()[1]));
  const auto out = graph::emit("attention", inputs,
                               {{"scale", args.scale},
                                {"causal", int64_t{args.causal}},
                                {"masked", int64_t{args.mask.defined()}}});
  return by_place(out[0], q.shape()[0]);
}

}  // namespace stoker::ops
