#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct CategoricalCrossentropyArgs {
  bool from_logits = false;
  double label_smoothing = 0;
  int64_t axis = -1;
  std::string name = "categorical_crossentropy";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> CategoricalCrossentropy(const CategoricalCrossentropyArgs& args = {});

}  // namespace stoker::metrics
