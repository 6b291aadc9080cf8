#pragma once
#include "stoker/optimizer.h"

namespace stoker::schedules {

struct CosineDecayRestartsArgs {
  double initial_learning_rate = 0;
  int64_t first_decay_steps = 0;
  double t_mul = 2,
         m_mul = 1;  // factors for each round's length and initial rate
  double alpha = 0;
  std::string name = "SGDRDecay";
};
// Cosine decay with warm restarts.
LearningRate CosineDecayRestarts(const CosineDecayRestartsArgs& args);

}  // namespace stoker::schedules
