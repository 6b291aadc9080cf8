#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct PoissonArgs {
  std::string reduction = "sum_over_batch_size", name = "poisson";
  DTypePolicy dtype = {};
};
// For counts and their predicted rates.
LossRef Poisson(const PoissonArgs& args = {});

}  // namespace stoker::losses
