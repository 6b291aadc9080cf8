#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct SparseCategoricalCrossentropyArgs {
  bool from_logits = false;
  std::optional<int64_t> ignore_class = {};  // positions with this label count as 0
  int64_t axis = -1;
  std::string name = "sparse_categorical_crossentropy";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> SparseCategoricalCrossentropy(
    const SparseCategoricalCrossentropyArgs& args = {});

}  // namespace stoker::metrics
