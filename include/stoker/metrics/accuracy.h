#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct AccuracyArgs {
  std::string name = "accuracy";
  DType dtype = DType::float32;
};
// The fraction of outputs equal to their targets.
std::shared_ptr<Metric> Accuracy(const AccuracyArgs& args = {});

}  // namespace stoker::metrics
