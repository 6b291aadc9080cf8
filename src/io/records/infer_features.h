#pragma once
#include <string_view>
#include <vector>

#include "stoker/example.h"

namespace stoker {

// The features of an Example, sorted by key, each with its number of values: a single value is a
// scalar.
std::vector<FixedLenFeature> infer_features(std::string_view example);

}  // namespace stoker
