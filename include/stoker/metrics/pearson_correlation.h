#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct PearsonCorrelationArgs {
  int64_t axis = -1;
  std::string name = "pearson_correlation";
  DType dtype = DType::float32;
};
// Of targets and outputs along the axis: 1 where they rise and fall together.
std::shared_ptr<Metric> PearsonCorrelation(const PearsonCorrelationArgs& args = {});

}  // namespace stoker::metrics
