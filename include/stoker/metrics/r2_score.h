#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct R2ScoreArgs {
  // "uniform_average", "variance_weighted_average"; none: a score for each output
  std::string class_aggregation = "uniform_average";
  int64_t num_regressors = 0;  // above 0: adjusted for so many inputs
  std::string name = "r2_score";
  DType dtype = DType::float32;
};
// The share of the targets' variance that the outputs explain; both are (batch, outputs).
std::shared_ptr<Metric> R2Score(const R2ScoreArgs& args = {});

}  // namespace stoker::metrics
