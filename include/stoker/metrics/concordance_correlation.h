#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct ConcordanceCorrelationArgs {
  int64_t axis = -1;
  std::string name = "concordance_correlation";
  DType dtype = DType::float32;
};
// Like PearsonCorrelation, but 1 only if the values are equal.
std::shared_ptr<Metric> ConcordanceCorrelation(const ConcordanceCorrelationArgs& args = {});

}  // namespace stoker::metrics
