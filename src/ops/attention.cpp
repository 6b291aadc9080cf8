#include "stoker/ops/attention.h"

#include <cstdlib>
#include <limits>

#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/softmax.h"

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

// Small enough to vanish beside any score, and finite so that a row of nothing else has a softmax.
double hidden_score(DType dtype) { return dtype == DType::float16 ? -3e4 : -1e30; }

}  // namespace

Tensor causal_mask(int64_t queries, int64_t keys) {
  return mask_of(queries, keys, [](int64_t i, int64_t j) { return j <= i; });
}

Tensor sliding_window_mask(int64_t queries, int64_t keys, int64_t window) {
  return mask_of(queries, keys, [&](int64_t i, int64_t j) { return std::abs(i - j) < window; });
}

Tensor dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                             const AttentionArgs& args) {
  Tensor scores = einsum("bqhd,bkhd->bhqk", q * args.scale, k);
  Tensor mask = args.mask;
  if (args.causal) {
    const Tensor causal = causal_mask(q.shape()[1], k.shape()[1]);
    mask = mask.defined() ? logical_and(mask, causal) : causal;
  }
  if (mask.defined())
    scores = where(mask, scores, graph::scalar_like(scores, hidden_score(scores.dtype())));
  return einsum("bhqk,bkhd->bqhd", softmax(scores), v);
}

}  // namespace stoker::ops
