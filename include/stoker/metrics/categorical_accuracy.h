#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct CategoricalAccuracyArgs {
  std::string name = "categorical_accuracy";
  DType dtype = DType::float32;
};
// The fraction of samples whose largest output is at the largest target.
std::shared_ptr<Metric> CategoricalAccuracy(const CategoricalAccuracyArgs& args = {});

}  // namespace stoker::metrics
