#pragma once
#include <string_view>
#include <vector>

#include "stoker/example.h"

namespace stoker {

// The features that an Example has, sorted by their keys, each with as many values as it has there:
// a single value is a scalar.
std::vector<FixedLenFeature> infer_features(std::string_view example);

}  // namespace stoker
