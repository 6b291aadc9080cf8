#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct MeanArgs {
  std::string name = "mean";
  DType dtype = DType::float32;
};
// The mean of plain values: mean->update_state(values), with weights mean->update_state(values, {},
// weights).
std::shared_ptr<Metric> Mean(const MeanArgs& args = {});

}  // namespace stoker::metrics
