#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct MeanSquaredErrorArgs {
  std::string reduction = "sum_over_batch_size", name = "mean_squared_error";
  DTypePolicy dtype = {};
};
LossRef MeanSquaredError(const MeanSquaredErrorArgs& args = {});

}  // namespace stoker::losses
