#include "data/check_spec.h"

#include <fmt/format.h>

namespace stoker::data {

bool fits(const Shape& shape, const Shape& spec) {
  if (shape.rank() != spec.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i)
    if (spec[i] != unknown && spec[i] != shape[i]) return false;
  return true;
}

bool fits(const Array& array, const TensorSpec& spec) {
  return array.holds_strings() == spec.text && (spec.text || array.dtype() == spec.dtype) &&
         fits(array.shape(), spec.shape);
}

void check_spec(const Element& element, const ElementSpec& spec, const char* whose) {
  bool right = element.structure() == spec.structure;
  for (size_t i = 0; right && i < spec.arrays.size(); ++i)
    right = fits(element.arrays()[i], spec.arrays[i]);
  if (!right)
    throw InvalidArgument(fmt::format("the element is {}, but the {} is {}.",
                                      to_string(spec_of(element)), whose, to_string(spec)));
}

ElementSpec common_spec(const ElementSpec& a, const ElementSpec& b) {
  ElementSpec common = a;
  for (size_t i = 0; i < common.arrays.size(); ++i) {
    Shape& shape = common.arrays[i].shape;
    for (int axis = 0; axis < shape.rank(); ++axis)
      if (shape[axis] != b.arrays[i].shape[axis]) shape[axis] = unknown;
  }
  return common;
}

}  // namespace stoker::data
