#include "nn/metrics/top_k.h"

#include <algorithm>
#include <numeric>

#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

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

Tensor is_in_top_k(const Tensor& outputs, int64_t k) {
  const int64_t n = outputs.shape().back(), rows = outputs.shape().size() / n;
  const Tensor here = ops::reshape(outputs, {rows, n, 1}),
               there = ops::reshape(outputs, {rows, 1, n});
  std::vector<int32_t> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  const Array place = Array::from(numbers, {n});
  const Tensor earlier =
      ops::less(Tensor(place.reshape({1, 1, n})), Tensor(place.reshape({1, n, 1})));
  const Tensor better = ops::logical_or(ops::greater(there, here),
                                        ops::logical_and(ops::equal(there, here), earlier));
  const Tensor rank = ops::sum(ops::cast(better, DType::float32), {.axis = {2}});
  return ops::reshape(ops::less(rank, static_cast<double>(k)), outputs.shape());
}

}  // namespace stoker::nn
