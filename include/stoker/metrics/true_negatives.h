#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct TrueNegativesArgs {
  std::vector<double> thresholds = {};  // none: 0.5; several: a result for each
  std::string name = "true_negatives";
  DType dtype = DType::float32;
};
// How many outputs up to the threshold have a false target.
std::shared_ptr<Metric> TrueNegatives(const TrueNegativesArgs& args = {});

}  // namespace stoker::metrics
