#include "nn/operations/axes.h"

#include <algorithm>
#include <numeric>

#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::nn {

std::vector<int64_t> integers(const Config& value) {
  if (value.is_null()) return {};
  if (value.is_int()) return {value.as_int()};
  std::vector<int64_t> found;
  for (const Config& item : value.as_list()) found.push_back(item.as_int());
  return found;
}

std::vector<int64_t> axes_of(const Config& axis, int rank) {
  std::vector<int64_t> axes = integers(axis);
  if (axis.is_null()) {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (int64_t& a : axes) a = normalize_axis(a, rank);
  return axes;
}

Tensor as_float(const Tensor& x) {
  return is_floating(x.dtype()) ? x : ops::cast(x, DType::float32);
}

Tensor rounded_half_even(const Tensor& x) {
  const Tensor low = ops::floor(x), rest = x - low;
  const Tensor odd = ops::not_equal(low, ops::floor(low * 0.5) * 2.0);
  const Tensor up =
      ops::logical_or(ops::greater(rest, 0.5), ops::logical_and(ops::equal(rest, 0.5), odd));
  return ops::where(up, low + 1.0, low);
}

Tensor moved(const Tensor& x, int64_t from, int64_t to) {
  const int rank = x.shape().rank();
  const int source = normalize_axis(from, rank), target = normalize_axis(to, rank);
  if (source == target) return x;
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + source);
  order.insert(order.begin() + target, source);
  return ops::transpose(x, order);
}

Tensor part(const Tensor& x, int axis, int64_t start, int64_t size) {
  std::vector<int64_t> from(static_cast<size_t>(x.shape().rank()), 0), sizes = x.shape().dims();
  from[static_cast<size_t>(axis)] = start;
  sizes[static_cast<size_t>(axis)] = size;
  return ops::slice(x, from, sizes);
}

Tensor picked(const Tensor& x, int axis, const std::vector<int64_t>& places) {
  const Array rows = Array::from<int64_t>(places, {static_cast<int64_t>(places.size())});
  return moved(ops::gather(moved(x, axis, 0), rows), 0, axis);
}

Tensor with_axes_last(const Tensor& x, const std::vector<int64_t>& axes) {
  std::vector<int64_t> order, dims;
  for (int i = 0; i < x.shape().rank(); ++i)
    if (std::ranges::find(axes, i) == axes.end()) {
      order.push_back(i);
      dims.push_back(x.shape()[i]);
    }
  int64_t size = 1;
  for (int64_t axis : axes) {
    order.push_back(axis);
    size *= x.shape()[static_cast<int>(axis)];
  }
  dims.push_back(size);
  return ops::reshape(ops::transpose(x, order), Shape(std::move(dims)));
}

Shape reduced_shape(const Shape& shape, const std::vector<int64_t>& axes, bool keepdims) {
  std::vector<int64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool gone = std::ranges::find(axes, i) != axes.end();
    if (!gone || keepdims) dims.push_back(gone ? 1 : shape[i]);
  }
  return Shape(std::move(dims));
}

Tensor count_up(int64_t n, DType dtype) {
  std::vector<int64_t> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return Array::from<int64_t>(numbers, {n}).astype(dtype);
}

// Each number's rank is how many come before it; then the ranks are turned round.
Tensor places_in_order(const Tensor& x) {
  const int64_t n = x.shape().back();
  const Tensor here = ops::expand_dims(x, -1), others = ops::expand_dims(x, -2);
  const Tensor number = count_up(n, DType::float32);
  const Tensor earlier = ops::less(ops::reshape(number, {1, n}), ops::reshape(number, {n, 1}));
  const Tensor before =
      ops::logical_or(ops::less(others, here), ops::logical_and(ops::equal(others, here), earlier));
  const Tensor rank = ops::sum(ops::cast(before, DType::float32), {.axis = {-1}});
  const Tensor at = ops::equal(ops::expand_dims(rank, -1), number);  // (…, places, ranks)
  const Tensor places = ops::where(at, ops::broadcast_to(ops::reshape(number, {n, 1}), at.shape()),
                                   ops::fill(at.shape(), 0));
  return ops::cast(ops::sum(places, {.axis = {-2}}), DType::int32);
}

Tensor picked_from_rows(const Tensor& x, const Tensor& places) {
  const int64_t size = x.shape().back(), count = places.shape().back();
  const int64_t rows = x.shape().size() / size;
  Tensor at = ops::cast(ops::reshape(places, {rows, count}), DType::int64);
  const Tensor zero = Array::scalar(int64_t{0}), length = Array::scalar(size);
  at = ops::where(ops::less(at, zero), at + length, at);
  const Tensor start = ops::reshape(count_up(rows, DType::int64) * length, {rows, 1});
  const Tensor flat = ops::reshape(at + start, {rows * count});
  return ops::reshape(ops::gather(ops::reshape(x, {rows * size}), flat), places.shape());
}

}  // namespace stoker::nn
