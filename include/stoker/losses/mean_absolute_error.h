#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct MeanAbsoluteErrorArgs {
  std::string reduction = "sum_over_batch_size", name = "mean_absolute_error";
  DTypePolicy dtype = {};
};
LossRef MeanAbsoluteError(const MeanAbsoluteErrorArgs& args = {});

}  // namespace stoker::losses
