#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct FalseNegativesArgs {
  std::vector<double> thresholds = {};  // none: 0.5; several: one result each
  std::string name = "false_negatives";
  DType dtype = DType::float32;
};
// The number of positive targets with outputs not above the threshold.
std::shared_ptr<Metric> FalseNegatives(const FalseNegativesArgs& args = {});

}  // namespace stoker::metrics
