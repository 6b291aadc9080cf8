#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct TopKCategoricalAccuracyArgs {
  int64_t k = 5;
  std::string name = "top_k_categorical_accuracy";
  DType dtype = DType::float32;
};
// The fraction of samples whose largest target is among the k largest outputs.
std::shared_ptr<Metric> TopKCategoricalAccuracy(const TopKCategoricalAccuracyArgs& args = {});

}  // namespace stoker::metrics
