#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"
#include "stoker/sizes.h"

namespace stoker::losses {

struct DiceArgs {
  Integers axis = {};  // none: all axes
  std::string reduction = "sum_over_batch_size", name = "dice";
  DTypePolicy dtype = {};
};
// 1 - Dice coefficient of two masks, over the given axes or all.
LossRef Dice(const DiceArgs& args = {});

}  // namespace stoker::losses
