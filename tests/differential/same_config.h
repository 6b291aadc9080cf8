#pragma once
#include <string>

#include "stoker/config.h"

namespace stoker::differential {

// The first difference between two configs, or nothing. The order of keys is ignored, 1 equals 1.0.
std::string difference(const Config& got, const Config& want, const std::string& path = "");

// The part of `got` whose keys are in `want`.
Config common(const Config& got, const Config& want);

}  // namespace stoker::differential
