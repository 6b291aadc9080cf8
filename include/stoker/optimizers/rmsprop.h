#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct RMSpropArgs {
  LearningRate learning_rate = 0.001;
  double rho = 0.9, momentum = 0, epsilon = 1e-7;
  bool centered = false;  // divide by the deviation, not by the root mean square
  std::optional<double> weight_decay = {}, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::string name = "rmsprop";
};
std::shared_ptr<Optimizer> RMSprop(const RMSpropArgs& args = {});

}  // namespace stoker::optimizers
