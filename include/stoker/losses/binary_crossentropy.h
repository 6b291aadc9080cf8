#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct BinaryCrossentropyArgs {
  bool from_logits = false;
  double label_smoothing = 0;
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size", name = "binary_crossentropy";
  DTypePolicy dtype = {};
};
// For targets 0 or 1 and outputs of the same shape, averaged over the axis.
LossRef BinaryCrossentropy(const BinaryCrossentropyArgs& args = {});

}  // namespace stoker::losses
