#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct PrecisionArgs {
  std::vector<double> thresholds = {};   // none: 0.5, or with top_k all; several: a result for each
  std::optional<int64_t> top_k = {};     // only the k largest outputs of a row are positive
  std::optional<int64_t> class_id = {};  // only this column counts
  std::string name = "precision";
  DType dtype = DType::float32;
};
// How many of the outputs above the threshold have a true target, as a share.
std::shared_ptr<Metric> Precision(const PrecisionArgs& args = {});

}  // namespace stoker::metrics
