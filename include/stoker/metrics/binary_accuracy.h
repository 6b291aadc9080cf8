#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct BinaryAccuracyArgs {
  double threshold = 0.5;
  std::string name = "binary_accuracy";
  DType dtype = DType::float32;
};
// How often an output is on its target's side of the threshold.
std::shared_ptr<Metric> BinaryAccuracy(const BinaryAccuracyArgs& args = {});

}  // namespace stoker::metrics
