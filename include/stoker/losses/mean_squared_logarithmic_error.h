#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct MeanSquaredLogarithmicErrorArgs {
  std::string reduction = "sum_over_batch_size", name = "mean_squared_logarithmic_error";
  DTypePolicy dtype = {};
};
// The mean squared error of log(1 + x): relative errors of large and small values count alike.
LossRef MeanSquaredLogarithmicError(const MeanSquaredLogarithmicErrorArgs& args = {});

}  // namespace stoker::losses
