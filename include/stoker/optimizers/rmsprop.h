#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct RMSpropArgs {
  LearningRate learning_rate = 0.001;
  double rho = 0.9, momentum = 0, epsilon = 1e-7;
  bool centered = false;  // divide by the standard deviation instead of the root mean square
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "rmsprop";
};
std::shared_ptr<Optimizer> RMSprop(const RMSpropArgs& args = {});

}  // namespace stoker::optimizers
