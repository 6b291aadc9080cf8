#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct MeanAbsoluteErrorArgs {
  std::string name = "mean_absolute_error";
};
std::shared_ptr<Metric> MeanAbsoluteError(const MeanAbsoluteErrorArgs& args = {});

}  // namespace stoker::metrics
