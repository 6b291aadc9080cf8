#pragma once
#include <string>
#include <vector>

#include "nn/saving/saved_state.h"

// The state of an optimizer in Keras's files: a list of arrays without names, whose order is that
// of the optimizer's variables. Which of them a file lists depends on who wrote it, and when.
namespace stoker::nn {

// What a file holds of an optimizer, and of the one inside a LossScaleOptimizer once more.
std::vector<SavedGroup> optimizer_groups(const Optimizer& optimizer);

// How the slots of several weights follow each other.
enum class SlotOrder {
  by_weight,  // kernel's momentum, kernel's velocity, bias's momentum …
  by_slot,    // kernel's momentum, bias's momentum, kernel's velocity …: before Keras 2.11
};

// Sets the state of an optimizer that is built for these weights. All or nothing: if the arrays are
// not the state of this optimizer, says why. One that was saved before the first step has nothing
// to set.
std::string restore_state(Optimizer& optimizer, const std::vector<Variable>& weights,
                          const std::vector<Array>& stored, SlotOrder order = SlotOrder::by_weight);
std::string restore_state(Optimizer& optimizer, const std::vector<Variable>& weights,
                          const H5Group& root);  // of an archive

// Whether the optimizer whose state an archive holds scaled its loss; none if it holds no state.
std::optional<bool> scaled_loss(const H5Group& root);

}  // namespace stoker::nn
