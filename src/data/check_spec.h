#pragma once
#include "stoker/element.h"

namespace stoker::data {

// Does an array, or a shape, agree with one in which some dimensions are unknown?
bool fits(const Shape& shape, const Shape& spec);
bool fits(const Array& array, const TensorSpec& spec);
// Throws InvalidArgument with both unless the element is of the spec; `whose` says which that is.
void check_spec(const Element& element, const ElementSpec& spec, const char* whose);
// What both are: dimensions in which they differ are unknown.
ElementSpec common_spec(const ElementSpec& a, const ElementSpec& b);

}  // namespace stoker::data
