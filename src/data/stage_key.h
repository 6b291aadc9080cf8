#pragma once
#include <optional>
#include <string>

#include "data/stage.h"

namespace stoker::data {

// Tells a pipeline from others: of every stage its name, its place in the program and what
// identity() says. A function of the program's is known by its place only. Nothing: a stage cannot
// say what its elements depend on.
std::optional<std::string> key_of(const Stage& stage);

}  // namespace stoker::data
