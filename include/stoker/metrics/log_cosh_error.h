#pragma once
#include "stoker/metric.h"

namespace stoker::metrics {

struct LogCoshErrorArgs {
  std::string name = "logcosh";
  DType dtype = DType::float32;
};
std::shared_ptr<Metric> LogCoshError(const LogCoshErrorArgs& args = {});

}  // namespace stoker::metrics
