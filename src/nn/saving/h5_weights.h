#pragma once
#include <string>

#include "io/hdf5/hdf5.h"
#include "stoker/model.h"

// Saves and restores weights in HDF5 files of all Keras versions.
namespace stoker::nn {

H5Group weights_tree(const Model& model);  // with the optimizer's state, if any
// Both set all or nothing.
void restore_weights(Model& model, const H5Group& root, const std::string& file);
void restore_optimizer(Model& model, const H5Group& root, const std::string& file);
// Warns once that the state in the file does not match the model's optimizer: when the model is
// trained or saved, where it matters.
void warn_of_unused_state(Model::Impl& model);

}  // namespace stoker::nn
