#include "nn/layers/attention/attention_mask.h"

#include "stoker/ops/attention.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {
namespace {

void merge(Tensor& all, const Tensor& one) {
  if (!one.defined()) return;
  const Tensor mask = ops::cast(one, DType::boolean);
  all = all.defined() ? ops::logical_and(all, mask) : mask;
}
Tensor with_axis(const Tensor& mask, int64_t axis) {
  return mask.defined() ? ops::expand_dims(mask, axis) : mask;
}

}  // namespace

Tensor merged(const AttentionMask& mask, int64_t queries, int64_t keys) {
  Tensor all;
  merge(all, with_axis(mask.query, -1));
  merge(all, with_axis(mask.value, -2));
  merge(all, with_axis(mask.key, -2));
  if (mask.causal) merge(all, ops::expand_dims(ops::causal_mask(queries, keys), 0));
  if (mask.sliding_window)
    merge(all, ops::expand_dims(ops::sliding_window_mask(queries, keys, *mask.sliding_window), 0));
  merge(all, mask.given);
  return all;
}

}  // namespace stoker::nn
