#pragma once
#include "stoker/optimizer.h"

namespace stoker::schedules {

struct InverseTimeDecayArgs {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double decay_rate = 0;
  bool staircase = false;
  std::string name = "InverseTimeDecay";
};
// initial / (1 + decay_rate · step / decay_steps)
LearningRate InverseTimeDecay(const InverseTimeDecayArgs& args);

}  // namespace stoker::schedules
