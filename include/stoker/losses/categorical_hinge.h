#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CategoricalHingeArgs {
  std::string reduction = "sum_over_batch_size", name = "categorical_hinge";
  DTypePolicy dtype = {};
};
// max(0, 1 + the largest output of a wrong class - the output of the right class).
LossRef CategoricalHinge(const CategoricalHingeArgs& args = {});

}  // namespace stoker::losses
