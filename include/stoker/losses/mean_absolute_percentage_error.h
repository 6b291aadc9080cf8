#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct MeanAbsolutePercentageErrorArgs {
  std::string reduction = "sum_over_batch_size", name = "mean_absolute_percentage_error";
  DTypePolicy dtype = {};
};
// Relative errors in percent of the targets.
LossRef MeanAbsolutePercentageError(const MeanAbsolutePercentageErrorArgs& args = {});

}  // namespace stoker::losses
