#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct FtrlArgs {
  LearningRate learning_rate = 0.001;
  double learning_rate_power = -0.5, initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0, l2_regularization_strength = 0;
  double l2_shrinkage_regularization_strength = 0, beta = 0;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "ftrl";
};
// Follow the regularised leader: many weights of sparse models become exactly 0.
std::shared_ptr<Optimizer> Ftrl(const FtrlArgs& args = {});

}  // namespace stoker::optimizers
