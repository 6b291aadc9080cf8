#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct KLDivergenceArgs {
  std::string name = "kl_divergence";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> KLDivergence(const KLDivergenceArgs& args = {});

}  // namespace stoker::metrics
