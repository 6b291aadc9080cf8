#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct MeanSquaredLogarithmicErrorArgs {
  std::string name = "mean_squared_logarithmic_error";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> MeanSquaredLogarithmicError(
    const MeanSquaredLogarithmicErrorArgs& args = {});

}  // namespace stoker::metrics
