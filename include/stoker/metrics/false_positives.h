#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct FalsePositivesArgs {
  std::vector<double> thresholds = {};  // none: 0.5; several: one result each
  std::string name = "false_positives";
  DType dtype = DType::float32;
};
// The number of negative targets with outputs above the threshold.
std::shared_ptr<Metric> FalsePositives(const FalsePositivesArgs& args = {});

}  // namespace stoker::metrics
