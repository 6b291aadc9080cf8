#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct RootMeanSquaredErrorArgs {
  std::string name = "root_mean_squared_error";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> RootMeanSquaredError(const RootMeanSquaredErrorArgs& args = {});

}  // namespace stoker::metrics
