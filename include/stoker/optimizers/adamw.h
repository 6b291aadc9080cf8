#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct AdamWArgs {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  std::optional<double> weight_decay = 0.004, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::string name = "adamw";
};
// Adam with decoupled weight decay.
std::shared_ptr<Optimizer> AdamW(const AdamWArgs& args = {});

}  // namespace stoker::optimizers
