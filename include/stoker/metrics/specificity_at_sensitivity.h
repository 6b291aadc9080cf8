#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct SpecificityAtSensitivityArgs {
  double sensitivity = 0;  // in [0, 1]
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};  // only this column counts
  std::string name = "specificity_at_sensitivity";
  DType dtype = DType::float32;
};
// The best specificity at thresholds where the sensitivity is at least the given one.
std::shared_ptr<Metric> SpecificityAtSensitivity(const SpecificityAtSensitivityArgs& args);

}  // namespace stoker::metrics
