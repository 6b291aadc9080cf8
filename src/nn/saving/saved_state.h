#pragma once
#include <string>
#include <vector>

#include "io/hdf5.h"
#include "stoker/model.h"

// Where Keras's weight files keep the variables of a network: "layers/dense_1/vars/0".
namespace stoker::nn {

struct SavedGroup {
  std::string path;  // "layers/dense_1"; empty for the network itself
  std::string name;  // of the layer, which the file keeps beside
  std::vector<Variable> variables;
  Layer* layer = nullptr;  // whose they are; none of an optimizer's
  std::string vars() const { return path.empty() ? "vars" : path + "/vars"; }
};

// Each layer once, in the order of Keras's walk.
std::vector<SavedGroup> saved_groups(Layer& network);
SavedGroup saved_group(const Optimizer& optimizer, const std::string& path = "optimizer");

void store(const std::vector<SavedGroup>& groups, H5Group& root);
// Sets every variable, or none and says in one error all that does not fit. `file` is for messages.
void restore(const std::vector<SavedGroup>& groups, const H5Group& root, const std::string& file);
// False if what the file has is not the state of this optimizer: it was saved before its first
// step, or is of another one.
bool restore(const Optimizer& optimizer, const H5Group& root);
bool restore(const Optimizer& optimizer, const std::vector<Array>& stored);  // in Keras's order

}  // namespace stoker::nn
