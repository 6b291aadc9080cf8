#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct CategoricalHingeArgs {
  std::string reduction = "sum_over_batch_size", name = "categorical_hinge";
  DTypePolicy dtype = {};
};
// By how much the best wrong class comes within 1 of the right one.
LossRef CategoricalHinge(const CategoricalHingeArgs& args = {});

}  // namespace stoker::losses
