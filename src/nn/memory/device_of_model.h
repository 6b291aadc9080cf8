#pragma once
#include "device/scope.h"
#include "nn/model_impl.h"

namespace stoker::nn {

// Where a model runs: on the device of the scope that is open, else of the one it was made in,
// else on the default device. Steps whose variables have moved away are dropped on the way.
device::Device device_of(Model& model, const char* caller);

}  // namespace stoker::nn
