#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct CategoricalAccuracyArgs {
  std::string name = "categorical_accuracy";
  DType dtype = DType::float32;
};
// How often the largest output is where the largest target is.
std::shared_ptr<Metric> CategoricalAccuracy(const CategoricalAccuracyArgs& args = {});

}  // namespace stoker::metrics
