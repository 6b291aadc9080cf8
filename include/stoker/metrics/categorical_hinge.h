#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct CategoricalHingeArgs {
  std::string name = "categorical_hinge";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> CategoricalHinge(const CategoricalHingeArgs& args = {});

}  // namespace stoker::metrics
