#pragma once
#include <vector>

#include "stoker/optimizer.h"

namespace stoker::schedules {

struct PiecewiseConstantDecayArgs {
  std::vector<int64_t> boundaries = {};
  std::vector<double> values = {};  // one more than boundaries
  std::string name = "PiecewiseConstant";
};
// values[i] up to and including step boundaries[i], then the last value.
LearningRate PiecewiseConstantDecay(const PiecewiseConstantDecayArgs& args);

}  // namespace stoker::schedules
