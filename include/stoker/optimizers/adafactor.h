#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct AdafactorArgs {
  LearningRate learning_rate = 0.001;
  double beta_2_decay = -0.8, epsilon_1 = 1e-30, epsilon_2 = 1e-3, clip_threshold = 1;
  bool relative_step = true;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "adafactor";
};
// Second moments of matrices are factored into row and column means.
std::shared_ptr<Optimizer> Adafactor(const AdafactorArgs& args = {});

}  // namespace stoker::optimizers
