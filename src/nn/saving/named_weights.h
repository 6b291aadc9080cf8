#pragma once
#include <string>
#include <utility>
#include <vector>

#include "stoker/model.h"

namespace stoker::nn {

// The weights by their names in files, which do not depend on other objects of the process.
std::vector<std::pair<std::string, Variable>> named_weights(const Model& model, const char* doing);

}  // namespace stoker::nn
