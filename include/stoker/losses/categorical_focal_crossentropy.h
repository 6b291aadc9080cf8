#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CategoricalFocalCrossentropyArgs {
  double alpha = 0.25, gamma = 2;
  bool from_logits = false;
  double label_smoothing = 0;
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size", name = "categorical_focal_crossentropy";
  DTypePolicy dtype = {};
};
// CategoricalCrossentropy with less weight on well-classified samples (focal loss).
LossRef CategoricalFocalCrossentropy(const CategoricalFocalCrossentropyArgs& args = {});

}  // namespace stoker::losses
