#pragma once
#include <optional>

#include "stoker/array.h"

namespace stoker::nn {

// The place of the first value that is not in [0, limit); NaN is not. Values with a fraction count
// as the integer below.
std::optional<int64_t> first_outside(const Array& values, int64_t limit);

}  // namespace stoker::nn
