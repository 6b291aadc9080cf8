#pragma once
#include "stoker/optimizer.h"

namespace stoker::schedules {

struct CosineDecayArgs {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double alpha = 0;  // fraction of the rate that is left at the end
  std::optional<double> warmup_target = {};
  int64_t warmup_steps = 0;
  std::string name = "CosineDecay";
};
// Half a cosine from the initial rate to alpha times it; with a warmup_target, a linear warm-up
// first.
LearningRate CosineDecay(const CosineDecayArgs& args);

}  // namespace stoker::schedules
