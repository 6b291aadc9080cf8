#pragma once
#include "stoker/config.h"

namespace stoker::nn {

// Keras writes a function as {"class_name": "function", "config": its name}, and wraps one with
// arguments as {"class_name": wrapper, "config": {"fn": the function, …}}. Both become what a
// registry takes: a name, or {class_name, config} with the function's name. Others stay.
Config without_wrapper(const Config& config, const char* wrapper);

}  // namespace stoker::nn
