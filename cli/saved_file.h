#pragma once
#include <string>

#include "stoker/model.h"

namespace stoker::cli {

// What a file holds of a model; the end of its name tells.
enum class Holds { model, weights, description };
// Throws if files of that name are not written; the hint names those that are, and the others.
Holds what_is_held(const std::string& path, const char* others = ", .json its description");
void save_as(const Model& model, const std::string& path);

}  // namespace stoker::cli
