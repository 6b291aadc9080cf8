#pragma once
#include "stoker/config.h"

// What Keras 2 called otherwise, in Keras 3's words.
namespace stoker::nn {

Config modern_model(const Config& model_config);
Config modern_settings(const Config& training_config);  // a compile_config

}  // namespace stoker::nn
