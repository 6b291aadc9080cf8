#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct BinaryCrossentropyArgs {
  bool from_logits = false;
  double label_smoothing = 0;
  int64_t axis = -1;
  std::string name = "binary_crossentropy";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> BinaryCrossentropy(const BinaryCrossentropyArgs& args = {});

}  // namespace stoker::metrics
