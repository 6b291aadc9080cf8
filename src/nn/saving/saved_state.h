#pragma once
#include <string>
#include <vector>

#include "io/hdf5/hdf5.h"
#include "stoker/model.h"

// The paths of a network's variables in Keras's weight files: "layers/dense_1/vars/0".
namespace stoker::nn {

struct SavedGroup {
  std::string path;  // "layers/dense_1"; empty for the network itself
  std::string name;  // of the layer, stored in the file
  std::vector<Variable> variables;
  Layer* layer = nullptr;  // their owner; null for an optimizer's
  std::string vars() const { return path.empty() ? "vars" : path + "/vars"; }
};

// Each layer once, in Keras's traversal order.
std::vector<SavedGroup> saved_groups(Layer& network);

void store(const std::vector<SavedGroup>& groups, H5Group& root);
// Sets every variable; or none, and throws one error with all mismatches. `file` is for messages.
void restore(const std::vector<SavedGroup>& groups, const H5Group& root, const std::string& file);

}  // namespace stoker::nn
