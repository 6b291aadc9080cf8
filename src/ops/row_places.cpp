#include "ops/row_places.h"

#include <algorithm>
#include <numeric>

#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::ops {

Tensor with_axis_last(const Tensor& x, int64_t axis) {
  std::vector<int64_t> order(static_cast<size_t>(x.shape().rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(normalize_axis(axis, x.shape().rank()))], order.back());
  return std::ranges::is_sorted(order) ? x : transpose(x, order);
}

Tensor places_in_all_rows(const Tensor& places, int64_t length) {
  const int64_t count = places.shape().back(), size = places.shape().size();
  std::vector<int64_t> begins(static_cast<size_t>(count == 0 ? 0 : size / count));
  for (size_t row = 0; row < begins.size(); ++row) begins[row] = static_cast<int64_t>(row) * length;
  const auto rows = static_cast<int64_t>(begins.size());
  const Tensor at = reshape(cast(places, DType::int64), {rows, count});
  return reshape(at + Tensor(Array::from(begins, {rows, 1})), {size});
}

}  // namespace stoker::ops
