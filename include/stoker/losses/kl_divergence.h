#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct KLDivergenceArgs {
  std::string reduction = "sum_over_batch_size", name = "kl_divergence";
  DTypePolicy dtype = {};
};
// Between two distributions over the last axis.
LossRef KLDivergence(const KLDivergenceArgs& args = {});

}  // namespace stoker::losses
