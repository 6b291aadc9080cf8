#pragma once
#include <string>
#include <vector>

#include "io/hdf5/hdf5.h"
#include "stoker/model.h"

// Where Keras's weight files keep the variables of a network: "layers/dense_1/vars/0".
namespace stoker::nn {

struct SavedGroup {
  std::string path;  // "layers/dense_1"; empty for the network itself
  std::string name;  // of the layer, which the file keeps beside
  std::vector<Variable> variables;
  Layer* layer = nullptr;  // whose they are; an optimizer's have none
  std::string vars() const { return path.empty() ? "vars" : path + "/vars"; }
};

// Each layer once, in the order of Keras's walk.
std::vector<SavedGroup> saved_groups(Layer& network);

void store(const std::vector<SavedGroup>& groups, H5Group& root);
// Sets every variable, or none and says in one error all that does not fit. `file` is for messages.
void restore(const std::vector<SavedGroup>& groups, const H5Group& root, const std::string& file);

}  // namespace stoker::nn
