#pragma once
#include <optional>
#include <string>

#include "data/stage.h"

namespace stoker::data {

// Identifies a pipeline: every stage's name, source location and identity(). A user function is
// identified by its source location only. Nothing: a stage does not know what its elements depend
// on.
std::optional<std::string> key_of(const Stage& stage);

}  // namespace stoker::data
