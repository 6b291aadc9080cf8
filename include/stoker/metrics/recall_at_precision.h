#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct RecallAtPrecisionArgs {
  double precision = 0;  // in [0, 1]
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};  // only this column counts
  std::string name = "recall_at_precision";
  DType dtype = DType::float32;
};
// The best recall at thresholds where the precision is at least the given one.
std::shared_ptr<Metric> RecallAtPrecision(const RecallAtPrecisionArgs& args);

}  // namespace stoker::metrics
