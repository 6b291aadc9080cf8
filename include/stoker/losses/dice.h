#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"
#include "stoker/sizes.h"

namespace stoker::losses {

struct DiceArgs {
  Integers axis = {};  // none: over everything
  std::string reduction = "sum_over_batch_size", name = "dice";
  DTypePolicy dtype = {};
};
// One less the overlap of two masks, over the given axes or everything.
LossRef Dice(const DiceArgs& args = {});

}  // namespace stoker::losses
