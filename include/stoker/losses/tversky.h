#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"
#include "stoker/sizes.h"

namespace stoker::losses {

struct TverskyArgs {
  double alpha = 0.5, beta = 0.5;
  Integers axis = {};  // none: all axes
  std::string reduction = "sum_over_batch_size", name = "tversky";
  DTypePolicy dtype = {};
};
// Dice loss with separate weights for false negatives (alpha) and false positives (beta).
LossRef Tversky(const TverskyArgs& args = {});

}  // namespace stoker::losses
