#pragma once
#include <string>

#include "io/hdf5.h"
#include "stoker/model.h"

// What Keras wrote before ".keras": models as HDF5 files with their description in an attribute,
// and weights by the layers' names and order.
namespace stoker::nn {

bool has_legacy_model(const H5Group& root);
bool has_legacy_weights(const H5Group& root);

// {class_name, config, compile_config}, as an archive has it.
Config legacy_model_config(const H5Group& root, const std::string& file);
void restore_legacy_weights(const Layer& network, const H5Group& root, const std::string& file);
bool restore_legacy_optimizer(const Optimizer& optimizer, const H5Group& root);

}  // namespace stoker::nn
