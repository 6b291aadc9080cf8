#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct SquaredHingeArgs {
  std::string reduction = "sum_over_batch_size", name = "squared_hinge";
  DTypePolicy dtype = {};
};
// For targets -1 or 1 (0 and 1 are converted).
LossRef SquaredHinge(const SquaredHingeArgs& args = {});

}  // namespace stoker::losses
