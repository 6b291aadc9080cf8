#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct SensitivityAtSpecificityArgs {
  double specificity = 0;  // in [0, 1]
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};  // only this column
  std::string name = "sensitivity_at_specificity";
  DType dtype = DType::float32;
};
// The highest sensitivity at thresholds with at least the given specificity.
std::shared_ptr<Metric> SensitivityAtSpecificity(const SensitivityAtSpecificityArgs& args);

}  // namespace stoker::metrics
