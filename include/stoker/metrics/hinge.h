#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct HingeArgs {
  std::string name = "hinge";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> Hinge(const HingeArgs& args = {});

}  // namespace stoker::metrics
