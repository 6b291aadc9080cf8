#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct BinaryFocalCrossentropyArgs {
  bool apply_class_balancing = false;
  double alpha = 0.25, gamma = 2;
  bool from_logits = false;
  double label_smoothing = 0;
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size", name = "binary_focal_crossentropy";
  DTypePolicy dtype = {};
};
// BinaryCrossentropy with less weight on well-classified samples (focal loss).
LossRef BinaryFocalCrossentropy(const BinaryFocalCrossentropyArgs& args = {});

}  // namespace stoker::losses
