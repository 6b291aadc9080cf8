#pragma once
#include "stoker/config.h"

namespace stoker::nn {

// Keras serializes a function as {"class_name": "function", "config": its name}, and a function
// with arguments as {"class_name": wrapper, "config": {"fn": the function, …}}. Converts both to
// the form that a registry accepts: a name, or {class_name, config} with the function's name. Other
// configs are returned unchanged.
Config without_wrapper(const Config& config, const char* wrapper);

}  // namespace stoker::nn
