#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct PrecisionArgs {
  std::vector<double> thresholds = {};   // none: 0.5, or with top_k all; several: one result each
  std::optional<int64_t> top_k = {};     // only the k largest outputs of a row are positive
  std::optional<int64_t> class_id = {};  // only this column
  std::string name = "precision";
  DType dtype = DType::float32;
};
// true positives / (true positives + false positives).
std::shared_ptr<Metric> Precision(const PrecisionArgs& args = {});

}  // namespace stoker::metrics
