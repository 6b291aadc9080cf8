#pragma once
#include "stoker/optimizer.h"

namespace stoker::schedules {

struct ExponentialDecayArgs {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double decay_rate = 0;
  bool staircase = false;
  std::string name = "ExponentialDecay";
};
// initial · decay_rate ^ (step / decay_steps)
LearningRate ExponentialDecay(const ExponentialDecayArgs& args);

}  // namespace stoker::schedules
