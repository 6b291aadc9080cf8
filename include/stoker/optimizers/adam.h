#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct AdamArgs {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::string name = "adam";
};
std::shared_ptr<Optimizer> Adam(const AdamArgs& args = {});

}  // namespace stoker::optimizers
