#pragma once
#include "stoker/model.h"

namespace stoker::nn {

// A model with the same config and compile settings, and its own weights; if a policy is given,
// layers that compute in float32 get that one. Throws if a class is not registered.
Model trial_copy(const Model& model, const std::string& policy = "");

// That many rows, repeating the available ones.
Arrays tiled(const Arrays& arrays, int64_t count);

}  // namespace stoker::nn
