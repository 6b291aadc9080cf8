#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct SGDArgs {
  LearningRate learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "sgd";
};
// Gradient descent, optionally with momentum.
std::shared_ptr<Optimizer> SGD(const SGDArgs& args = {});

}  // namespace stoker::optimizers
