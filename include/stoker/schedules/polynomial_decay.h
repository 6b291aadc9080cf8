#pragma once
#include "stoker/optimizer.h"

namespace stoker::schedules {

struct PolynomialDecayArgs {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double end_learning_rate = 0.0001, power = 1;
  bool cycle = false;  // restart, each time more slowly, instead of staying at the end rate
  std::string name = "PolynomialDecay";
};
// From the initial to the end rate along (1 - step / decay_steps) ^ power.
LearningRate PolynomialDecay(const PolynomialDecayArgs& args);

}  // namespace stoker::schedules
