#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct TrueNegativesArgs {
  std::vector<double> thresholds = {};  // none: 0.5; several: one result each
  std::string name = "true_negatives";
  DType dtype = DType::float32;
};
// The number of negative targets with outputs not above the threshold.
std::shared_ptr<Metric> TrueNegatives(const TrueNegativesArgs& args = {});

}  // namespace stoker::metrics
