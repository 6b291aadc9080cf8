#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"
#include "stoker/sizes.h"

namespace stoker::losses {

struct TverskyArgs {
  double alpha = 0.5, beta = 0.5;
  Integers axis = {};  // none: over everything
  std::string reduction = "sum_over_batch_size", name = "tversky";
  DTypePolicy dtype = {};
};
// Dice with a weight for what is missed (alpha) and what is invented (beta).
LossRef Tversky(const TverskyArgs& args = {});

}  // namespace stoker::losses
