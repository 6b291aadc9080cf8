#pragma once
#include <string>

#include "stoker/model.h"

namespace stoker::cli {

// What a file holds of a model; the end of its name tells.
enum class Holds { model, weights, description };
Holds what_is_held(const std::string& path);  // throws if files of that name are not written
void save_as(const Model& model, const std::string& path);

}  // namespace stoker::cli
