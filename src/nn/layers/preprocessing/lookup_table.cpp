#include "nn/layers/preprocessing/lookup_table.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "graph/emit.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

LookupTable::LookupTable(const std::vector<int64_t>& keys, const std::vector<int64_t>& values) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<int64_t> sorted, found;
  for (size_t i : order) {
    sorted.push_back(keys[i]);
    found.push_back(values[i]);
  }
  const auto count = static_cast<int64_t>(keys.size());
  keys_ = Array::from(sorted, {count});
  values_ = Array::from(found, {count});
}

// A vectorised binary search: the last position whose key is not larger.
Tensor LookupTable::find(const Tensor& keys, int64_t otherwise) const {
  const Tensor wanted = ops::reshape(ops::cast(keys, DType::int64), {-1});
  const Tensor missing = Array::scalar(otherwise);
  if (!keys_.defined() || keys_.size() == 0)
    return ops::reshape(ops::broadcast_to(missing, wanted.shape()), keys.shape());
  const auto last = static_cast<double>(keys_.size() - 1);
  Tensor place = ops::zeros_like(wanted);
  for (auto step = std::bit_floor(static_cast<uint64_t>(keys_.size())); step > 0; step /= 2) {
    const Tensor next = ops::minimum(place + static_cast<double>(step), last);
    place = ops::where(ops::less_equal(ops::gather(keys_, next), wanted), next, place);
  }
  const Tensor found = ops::equal(ops::gather(keys_, place), wanted);
  return ops::reshape(ops::where(found, ops::gather(values_, place), missing), keys.shape());
}

}  // namespace stoker::nn
