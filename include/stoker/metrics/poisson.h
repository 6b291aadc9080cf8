#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct PoissonArgs {
  std::string name = "poisson";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> Poisson(const PoissonArgs& args = {});

}  // namespace stoker::metrics
