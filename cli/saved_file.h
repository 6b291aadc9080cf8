#pragma once
#include <string>

#include "stoker/model.h"

namespace stoker::cli {

// The contents of a model file by its extension.
enum class Holds { model, weights, description };
// Throws if the extension is not supported; the hint lists supported ones.
Holds what_is_held(const std::string& path, const char* others = ", .json its description");
void save_as(const Model& model, const std::string& path);

}  // namespace stoker::cli
