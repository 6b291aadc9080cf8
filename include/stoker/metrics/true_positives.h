#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct TruePositivesArgs {
  std::vector<double> thresholds = {};  // none: 0.5; several: a result for each
  std::string name = "true_positives";
  DType dtype = DType::float32;
};
// How many outputs above the threshold have a true target.
std::shared_ptr<Metric> TruePositives(const TruePositivesArgs& args = {});

}  // namespace stoker::metrics
