#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct RecallAtPrecisionArgs {
  double precision = 0;  // in [0, 1]
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};  // only this column
  std::string name = "recall_at_precision";
  DType dtype = DType::float32;
};
// The highest recall at thresholds with at least the given precision.
std::shared_ptr<Metric> RecallAtPrecision(const RecallAtPrecisionArgs& args);

}  // namespace stoker::metrics
