#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct PearsonCorrelationArgs {
  int64_t axis = -1;
  std::string name = "pearson_correlation";
  DType dtype = DType::float32;
};
// The correlation coefficient of targets and outputs along the axis.
std::shared_ptr<Metric> PearsonCorrelation(const PearsonCorrelationArgs& args = {});

}  // namespace stoker::metrics
