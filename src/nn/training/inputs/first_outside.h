#pragma once
#include <optional>

#include "stoker/array.h"

namespace stoker::nn {

// The index of the first value outside [0, limit); NaN is outside. Values are rounded down.
std::optional<int64_t> first_outside(const Array& values, int64_t limit);

}  // namespace stoker::nn
