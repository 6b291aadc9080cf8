#pragma once
#include <optional>

#include "stoker/metric.h"

namespace stoker::metrics {

struct AUCArgs {
  int64_t num_thresholds = 200;
  std::string curve = "ROC";                       // or "PR", "PRGAIN"
  std::string summation_method = "interpolation";  // or "minoring", "majoring"
  std::vector<double> thresholds = {};             // instead of num_thresholds
  bool multi_label = false;                        // the mean of the columns' areas
  std::optional<int64_t> num_labels = {};
  std::vector<double> label_weights = {};
  bool from_logits = false;
  std::string name = "auc";
  DType dtype = DType::float32;
};
// The area under the ROC curve (or the precision-recall curve), by Riemann sums over thresholds.
std::shared_ptr<Metric> AUC(const AUCArgs& args = {});

}  // namespace stoker::metrics
