#pragma once
#include <string>

#include "exec/state_copies.h"
#include "nn/model_impl.h"

namespace stoker::nn {

// Everything that the steps of a running fit read and write, and the rest of the model's own
// states. The names are the same when a program makes the model again.
struct FitStates {
  std::vector<std::string> names;
  exec::States states;
};
FitStates states_of_fit(Model& model);

// Is no weight NaN or infinite? The device that holds them finds out.
bool weights_are_finite(const Model& model);
bool weights_are_finite(const exec::States& states);  // of those that are weights
// Copies of states whose weights are finite; null if they are not.
std::shared_ptr<const exec::StateCopies> copy_if_finite(const exec::States& states);

}  // namespace stoker::nn
