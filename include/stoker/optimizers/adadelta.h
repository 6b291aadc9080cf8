#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct AdadeltaArgs {
  LearningRate learning_rate = 0.001;
  double rho = 0.95, epsilon = 1e-7;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "adadelta";
};
std::shared_ptr<Optimizer> Adadelta(const AdadeltaArgs& args = {});

}  // namespace stoker::optimizers
