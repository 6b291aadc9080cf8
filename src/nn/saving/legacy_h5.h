#pragma once
#include <string>

#include "io/hdf5/hdf5.h"
#include "stoker/model.h"

// Formats before ".keras": models as HDF5 files with their config in an attribute, and weights by
// layer name and order.
namespace stoker::nn {

bool has_legacy_model(const H5Group& root);
bool has_legacy_weights(const H5Group& root);

// {class_name, config, compile_config}, as in an archive.
Config legacy_model_config(const H5Group& root, const std::string& file);
void restore_legacy_weights(const Layer& network, const H5Group& root, const std::string& file);
// Why the state does not match the optimizer; empty if it does, or if there is none.
std::string restore_legacy_optimizer(Optimizer& optimizer, const std::vector<Variable>& weights,
                                     const H5Group& root);

// A layer's weights in the order of these files: trainable ones first, at any depth.
std::vector<Variable> legacy_weights(const Layer& layer);
H5Group legacy_tree(const Model& model);  // the whole file

}  // namespace stoker::nn
