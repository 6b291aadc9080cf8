#pragma once
#include <string>

#include "stoker/config.h"

namespace stoker::differential {

// Where two configs differ first, or nothing. The order of keys does not count, 1 is 1.0.
std::string difference(const Config& got, const Config& want, const std::string& path = "");

// What of `got` has a key in `want`.
Config common(const Config& got, const Config& want);

}  // namespace stoker::differential
