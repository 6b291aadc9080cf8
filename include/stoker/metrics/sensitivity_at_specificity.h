#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct SensitivityAtSpecificityArgs {
  double specificity = 0;  // in [0, 1]
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};  // only this column counts
  std::string name = "sensitivity_at_specificity";
  DType dtype = DType::float32;
};
// The best sensitivity at thresholds where the specificity is at least the given one.
std::shared_ptr<Metric> SensitivityAtSpecificity(const SensitivityAtSpecificityArgs& args);

}  // namespace stoker::metrics
