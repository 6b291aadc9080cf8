#pragma once
#include <string>
#include <vector>

#include "nn/saving/saved_state.h"

// An optimizer's state in Keras's files: a list of unnamed arrays in the order of the optimizer's
// variables. Which variables a file contains depends on the version that wrote it.
namespace stoker::nn {

// The groups in a file for an optimizer, and for the inner optimizer of a LossScaleOptimizer.
std::vector<SavedGroup> optimizer_groups(const Optimizer& optimizer);

// The order of the slots of several weights.
enum class SlotOrder {
  by_weight,  // kernel's momentum, kernel's velocity, bias's momentum …
  by_slot,    // kernel's momentum, bias's momentum, kernel's velocity …: before Keras 2.11
};

// Restores the state of an optimizer that is built for these weights, completely or not at all: if
// the arrays do not match, returns the reason. A state saved before the first step contains nothing
// to restore.
std::string restore_state(Optimizer& optimizer, const std::vector<Variable>& weights,
                          const std::vector<Array>& stored, SlotOrder order = SlotOrder::by_weight);
std::string restore_state(Optimizer& optimizer, const std::vector<Variable>& weights,
                          const H5Group& root);  // of an archive

// Did the optimizer whose state is in the archive use loss scaling? Nothing if there is no state.
std::optional<bool> scaled_loss(const H5Group& root);

}  // namespace stoker::nn
