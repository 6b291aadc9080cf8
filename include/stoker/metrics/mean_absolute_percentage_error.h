#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct MeanAbsolutePercentageErrorArgs {
  std::string name = "mean_absolute_percentage_error";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> MeanAbsolutePercentageError(
    const MeanAbsolutePercentageErrorArgs& args = {});

}  // namespace stoker::metrics
