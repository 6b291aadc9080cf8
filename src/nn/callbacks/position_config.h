#pragma once
#include "nn/model_impl.h"
#include "stoker/config.h"

namespace stoker::nn {

// A position as JSON, without the callbacks' arrays.
Config to_config(const FitPosition& at);
FitPosition position_of(const Config& config);  // throws InvalidArgument if a field is missing

}  // namespace stoker::nn
