#pragma once
#include "stoker/element.h"

namespace stoker::data {

// Does an array, or a shape, match one with unknown dimensions?
bool fits(const Shape& shape, const Shape& spec);
bool fits(const Array& array, const TensorSpec& spec);
// Throws InvalidArgument with both unless the element matches the spec; `whose` names the spec.
void check_spec(const Element& element, const ElementSpec& spec, const char* whose);
// The spec of both: dimensions that differ are unknown.
ElementSpec common_spec(const ElementSpec& a, const ElementSpec& b);

}  // namespace stoker::data
