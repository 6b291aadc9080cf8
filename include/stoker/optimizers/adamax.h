#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct AdamaxArgs {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "adamax";
};
// Adam with the infinity norm instead of the second moment.
std::shared_ptr<Optimizer> Adamax(const AdamaxArgs& args = {});

}  // namespace stoker::optimizers
