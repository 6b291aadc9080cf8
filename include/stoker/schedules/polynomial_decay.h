#pragma once
#include "stoker/optimizer.h"

namespace stoker::schedules {

struct PolynomialDecayArgs {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double end_learning_rate = 0.0001, power = 1;
  bool cycle = false;  // start over, each time more slowly, instead of staying at the end
  std::string name = "PolynomialDecay";
};
// From the initial to the end rate along (1 - step / decay_steps) ^ power.
LearningRate PolynomialDecay(const PolynomialDecayArgs& args);

}  // namespace stoker::schedules
