#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct FalseNegativesArgs {
  std::vector<double> thresholds = {};  // none: 0.5; several: a result for each
  std::string name = "false_negatives";
  DType dtype = DType::float32;
};
// How many outputs up to the threshold have a true target.
std::shared_ptr<Metric> FalseNegatives(const FalseNegativesArgs& args = {});

}  // namespace stoker::metrics
