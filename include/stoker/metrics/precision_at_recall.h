#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct PrecisionAtRecallArgs {
  double recall = 0;  // in [0, 1]
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};  // only this column counts
  std::string name = "precision_at_recall";
  DType dtype = DType::float32;
};
// The best precision at thresholds where the recall is at least the given one.
std::shared_ptr<Metric> PrecisionAtRecall(const PrecisionAtRecallArgs& args);

}  // namespace stoker::metrics
