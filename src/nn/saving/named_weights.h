#pragma once
#include <string>
#include <utility>
#include <vector>

#include "stoker/model.h"

namespace stoker::nn {

// The weights under their names in files, which do not depend on what else the process made.
std::vector<std::pair<std::string, Variable>> named_weights(const Model& model, const char* doing);

}  // namespace stoker::nn
