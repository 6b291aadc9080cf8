#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct R2ScoreArgs {
  // "uniform_average", "variance_weighted_average"; none: one score per output
  std::string class_aggregation = "uniform_average";
  int64_t num_regressors = 0;  // above 0: adjusted R² for so many regressors
  std::string name = "r2_score";
  DType dtype = DType::float32;
};
// The coefficient of determination (explained variance) of targets and outputs (batch, outputs).
std::shared_ptr<Metric> R2Score(const R2ScoreArgs& args = {});

}  // namespace stoker::metrics
