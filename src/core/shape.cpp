#include "stoker/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "stoker/error.h"

namespace stoker {

int64_t Shape::size() const {
  int64_t n = 1;
  for (int64_t d : dims_) {
    if (d < 0) throw Internal(fmt::format("the size of {} is not known yet.", to_string(*this)));
    if (__builtin_mul_overflow(n, d, &n))
      throw InvalidArgument(
          fmt::format("shape {} has more elements than can be counted.", to_string(*this)));
  }
  return n;
}

bool Shape::is_known() const {
  return std::all_of(dims_.begin(), dims_.end(), [](int64_t d) { return d >= 0; });
}

Shape Shape::drop_front() const {
  return Shape(std::vector<int64_t>(dims_.begin() + 1, dims_.end()));
}

Shape Shape::with_front(int64_t dim) const {
  std::vector<int64_t> dims{dim};
  dims.insert(dims.end(), dims_.begin(), dims_.end());
  return Shape(std::move(dims));
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] == unknown ? "None" : std::to_string(shape[i]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

std::string to_string(const TensorType& type) {
  return std::string(name_of(type.dtype)) + to_string(type.shape);
}

Shape broadcast(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (int i = 1; i <= rank; ++i) {
    const int64_t x = i <= a.rank() ? a[-i] : 1, y = i <= b.rank() ? b[-i] : 1;
    if (x != y && x != 1 && y != 1)
      throw InvalidArgument(fmt::format("shapes {} and {} cannot be broadcast together.",
                                        to_string(a), to_string(b)));
    dims[static_cast<size_t>(rank - i)] = x == 1 ? y : x;
  }
  return Shape(std::move(dims));
}

int normalize_axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    throw InvalidArgument(fmt::format("axis {} is out of range for {} dimensions.", axis, rank));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace stoker
