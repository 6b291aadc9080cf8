#pragma once
#include <string>

#include "exec/state_copies.h"
#include "nn/model_impl.h"

namespace stoker::nn {

// All states that the steps of a running fit read and write, and the model's other states. Their
// names are the same when a program creates the model again.
struct FitStates {
  std::vector<std::string> names;
  exec::States states;
};
FitStates states_of_fit(Model& model);

// Is every weight finite? Computed on the device.
bool weights_are_finite(const Model& model);
bool weights_are_finite(const exec::States& states);  // only those that are weights
// A snapshot of the states; null if a weight is not finite.
std::shared_ptr<const exec::StateCopies> copy_if_finite(const exec::States& states);

}  // namespace stoker::nn
