#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct SumArgs {
  std::string name = "sum";
  DType dtype = DType::float32;
};
// The sum of plain values: sum->update_state(values), with weights sum->update_state(values, {},
// weights).
std::shared_ptr<Metric> Sum(const SumArgs& args = {});

}  // namespace stoker::metrics
