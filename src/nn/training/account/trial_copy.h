#pragma once
#include "stoker/model.h"

namespace stoker::nn {

// A model of the same configuration, compiled alike, with weights of its own; with another policy
// wherever a layer computes in float32, if one is given. Throws where a class is not registered.
Model trial_copy(const Model& model, const std::string& policy = "");

// As many rows as are asked for, those that are there again and again.
Arrays tiled(const Arrays& arrays, int64_t count);

}  // namespace stoker::nn
