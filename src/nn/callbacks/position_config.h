#pragma once
#include "nn/model_impl.h"
#include "stoker/config.h"

namespace stoker::nn {

// A position in JSON's terms, without the arrays of callbacks.
Config to_config(const FitPosition& at);
FitPosition position_of(const Config& config);  // throws InvalidArgument if something is missing

}  // namespace stoker::nn
