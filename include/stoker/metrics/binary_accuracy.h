#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct BinaryAccuracyArgs {
  double threshold = 0.5;
  std::string name = "binary_accuracy";
  DType dtype = DType::float32;
};
// The fraction of outputs on the correct side of the threshold.
std::shared_ptr<Metric> BinaryAccuracy(const BinaryAccuracyArgs& args = {});

}  // namespace stoker::metrics
