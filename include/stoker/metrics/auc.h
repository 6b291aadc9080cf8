#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct AUCArgs {
  int64_t num_thresholds = 200;
  std::string curve = "ROC";                       // or "PR", "PRGAIN"
  std::string summation_method = "interpolation";  // or "minoring", "majoring"
  std::vector<double> thresholds = {};             // in place of num_thresholds
  bool multi_label = false;                        // the mean of each column's area
  std::optional<int64_t> num_labels = {};
  std::vector<double> label_weights = {};
  bool from_logits = false;
  std::string name = "auc";
  DType dtype = DType::float32;
};
// The area under the curve of true and false positives (or of precision and recall), by sums at
// thresholds.
std::shared_ptr<Metric> AUC(const AUCArgs& args = {});

}  // namespace stoker::metrics
