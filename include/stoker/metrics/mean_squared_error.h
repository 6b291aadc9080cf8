#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct MeanSquaredErrorArgs {
  std::string name = "mean_squared_error";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> MeanSquaredError(const MeanSquaredErrorArgs& args = {});

}  // namespace stoker::metrics
