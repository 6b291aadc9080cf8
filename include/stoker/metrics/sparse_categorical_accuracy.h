#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct SparseCategoricalAccuracyArgs {
  std::string name = "sparse_categorical_accuracy";
  DType dtype = DType::float32;
};
// The fraction of samples whose largest output is at the integer label.
std::shared_ptr<Metric> SparseCategoricalAccuracy(const SparseCategoricalAccuracyArgs& args = {});

}  // namespace stoker::metrics
