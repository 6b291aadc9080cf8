#include "nn/metrics/accuracy/top_k.h"

#include <algorithm>

#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/sort.h"

namespace stoker::nn {

Tensor top_k_hits(const Tensor& labels, const Tensor& outputs, int64_t k) {
  const Tensor rows = ops::reshape(outputs, {-1, outputs.shape().back()});
  return ops::reshape(ops::in_top_k(ops::reshape(labels, {-1}), rows, k), labels.shape());
}

Tensor sorted_id_hits(const Tensor& labels, const Tensor& outputs, int64_t k) {
  const int64_t columns = std::min(k, outputs.shape().back());
  const Tensor rows = ops::reshape(outputs, {-1, outputs.shape().back()});
  const Tensor best = ops::slice(rows, {0, 0}, {rows.shape()[0], columns});
  const Tensor wanted = ops::reshape(ops::cast(labels, best.dtype()), {-1, 1});
  const Tensor hits = ops::cast(ops::equal(best, wanted), DType::float32);
  return ops::reshape(ops::max(hits, {.axis = {1}}), labels.shape());
}

// The rank of each output in descending order: argsort of argsort.
Tensor is_in_top_k(const Tensor& outputs, int64_t k) {
  const Tensor order = ops::top_k(outputs, outputs.shape().back()).indices;
  return ops::less(ops::argsort(order), Tensor(Array::scalar(k).astype(order.dtype())));
}

}  // namespace stoker::nn
