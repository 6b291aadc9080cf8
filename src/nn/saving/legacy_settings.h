#pragma once
#include "stoker/config.h"

// Converts Keras 2's names to Keras 3's.
namespace stoker::nn {

Config modern_model(const Config& model_config);
Config modern_settings(const Config& training_config);  // to a compile_config

}  // namespace stoker::nn
