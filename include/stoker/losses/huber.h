#pragma once
#include "stoker/dtype_policy.h"
#include "stoker/loss.h"

namespace stoker::losses {

struct HuberArgs {
  double delta = 1;
  std::string reduction = "sum_over_batch_size", name = "huber_loss";
  DTypePolicy dtype = {};
};
// Quadratic for errors up to delta, linear beyond.
LossRef Huber(const HuberArgs& args = {});

}  // namespace stoker::losses
