#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct LambArgs {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "lamb";
};
// Adam with layer-wise step sizes proportional to the weights' norms: for large batches.
std::shared_ptr<Optimizer> Lamb(const LambArgs& args = {});

}  // namespace stoker::optimizers
