#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct TruePositivesArgs {
  std::vector<double> thresholds = {};  // none: 0.5; several: one result each
  std::string name = "true_positives";
  DType dtype = DType::float32;
};
// The number of positive targets with outputs above the threshold.
std::shared_ptr<Metric> TruePositives(const TruePositivesArgs& args = {});

}  // namespace stoker::metrics
