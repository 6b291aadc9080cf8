#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct SpecificityAtSensitivityArgs {
  double sensitivity = 0;  // in [0, 1]
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};  // only this column
  std::string name = "specificity_at_sensitivity";
  DType dtype = DType::float32;
};
// The highest specificity at thresholds with at least the given sensitivity.
std::shared_ptr<Metric> SpecificityAtSensitivity(const SpecificityAtSensitivityArgs& args);

}  // namespace stoker::metrics
