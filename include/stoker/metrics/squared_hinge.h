#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct SquaredHingeArgs {
  std::string name = "squared_hinge";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> SquaredHinge(const SquaredHingeArgs& args = {});

}  // namespace stoker::metrics
