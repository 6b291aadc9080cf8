#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct PrecisionAtRecallArgs {
  double recall = 0;  // in [0, 1]
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};  // only this column
  std::string name = "precision_at_recall";
  DType dtype = DType::float32;
};
// The highest precision at thresholds with at least the given recall.
std::shared_ptr<Metric> PrecisionAtRecall(const PrecisionAtRecallArgs& args);

}  // namespace stoker::metrics
