#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct FalsePositivesArgs {
  std::vector<double> thresholds = {};  // none: 0.5; several: a result for each
  std::string name = "false_positives";
  DType dtype = DType::float32;
};
// How many outputs above the threshold have a false target.
std::shared_ptr<Metric> FalsePositives(const FalsePositivesArgs& args = {});

}  // namespace stoker::metrics
