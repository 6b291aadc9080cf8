#pragma once
#include "device/scope.h"
#include "nn/model_impl.h"

namespace stoker::nn {

// The device on which a model runs: that of the current scope, else of the scope in which the model
// was made, else the default device. Drops steps whose variables have moved to another device.
device::Device device_of(Model& model, const char* caller);

}  // namespace stoker::nn
