#pragma once
#include "stoker/loss.h"

namespace stoker::losses {

struct MeanSquaredErrorArgs {
  std::string reduction = "sum_over_batch_size", name = "mean_squared_error";
};
LossRef MeanSquaredError(const MeanSquaredErrorArgs& args = {});

}  // namespace stoker::losses
