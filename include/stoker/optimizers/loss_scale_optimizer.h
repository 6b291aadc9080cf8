#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct LossScaleOptimizerArgs {
  OptimizerRef inner_optimizer;
  double initial_scale = 32768;         // 2^15
  int64_t dynamic_growth_steps = 2000;  // steps with finite gradients after which it doubles
  std::string name = "loss_scale_optimizer";
};
// Dynamic loss scaling for float16: multiplies the loss so that small gradients do not underflow,
// and divides the gradients before the inner optimizer uses them. A step with non-finite gradients
// is skipped and halves the scale; that is decided inside the step.
std::shared_ptr<Optimizer> LossScaleOptimizer(const LossScaleOptimizerArgs& args);

}  // namespace stoker::optimizers
