#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct ScheduleFreeAdamWArgs {
  LearningRate learning_rate = 0.0025;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8;
  int64_t warmup_steps = 0;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "schedule_free_adam_w";
};
// AdamW that averages its iterates instead of lowering the learning rate.
std::shared_ptr<Optimizer> ScheduleFreeAdamW(const ScheduleFreeAdamWArgs& args = {});

}  // namespace stoker::optimizers
