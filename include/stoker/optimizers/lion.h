#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct LionArgs {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9, beta_2 = 0.99;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "lion";
};
// Updates by the sign of an interpolated momentum.
std::shared_ptr<Optimizer> Lion(const LionArgs& args = {});

}  // namespace stoker::optimizers
