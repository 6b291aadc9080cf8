#pragma once
#include "stoker/layer.h"

// Layers and networks as the objects {module, class_name, config, registered_name, …} of Keras's
// model files.
namespace stoker::nn {

Config serialize_layer(const Layer& layer);

// Throws one error for everything that is not supported, each with its path in the model.
LayerRef deserialize_layer(const Config& object);

}  // namespace stoker::nn
