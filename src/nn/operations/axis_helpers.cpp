#include "nn/operations/axis_helpers.h"

#include <algorithm>
#include <numeric>

#include "stoker/ops/elementwise.h"
#include "stoker/ops/indexing.h"
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

Tensor number(const Tensor& like, double value) {
  return Array::scalar(value).astype(like.dtype());
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

Tensor with_axes_back(const Tensor& y, const Shape& shape, const std::vector<int64_t>& axes) {
  std::vector<int64_t> order, dims;
  for (int i = 0; i < shape.rank(); ++i)
    if (std::ranges::find(axes, i) == axes.end()) order.push_back(i);
  order.insert(order.end(), axes.begin(), axes.end());
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    dims.push_back(shape[static_cast<int>(order[i])]);
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return ops::transpose(ops::reshape(y, Shape(std::move(dims))), back);
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

}  // namespace stoker::nn
