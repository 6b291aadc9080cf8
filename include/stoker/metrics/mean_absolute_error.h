#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct MeanAbsoluteErrorArgs {
  std::string name = "mean_absolute_error";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> MeanAbsoluteError(const MeanAbsoluteErrorArgs& args = {});

}  // namespace stoker::metrics
