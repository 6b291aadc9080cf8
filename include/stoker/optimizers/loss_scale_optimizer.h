#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct LossScaleOptimizerArgs {
  OptimizerRef inner_optimizer;
  double initial_scale = 32768;         // 2^15
  int64_t dynamic_growth_steps = 2000;  // steps with finite gradients after which it doubles
  std::string name = "loss_scale_optimizer";
};
// Multiplies the loss so that small gradients survive float16, and divides the gradients before
// the inner optimizer sees them. A step whose gradients are not finite is skipped and halves the
// scale; that is decided inside the step.
std::shared_ptr<Optimizer> LossScaleOptimizer(const LossScaleOptimizerArgs& args);

}  // namespace stoker::optimizers
