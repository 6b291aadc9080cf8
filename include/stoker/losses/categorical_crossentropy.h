#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CategoricalCrossentropyArgs {
  bool from_logits = false;
  double label_smoothing = 0;
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size", name = "categorical_crossentropy";
  DTypePolicy dtype = {};
};
// For one-hot (or soft) targets and outputs (batch, classes).
LossRef CategoricalCrossentropy(const CategoricalCrossentropyArgs& args = {});

}  // namespace stoker::losses
