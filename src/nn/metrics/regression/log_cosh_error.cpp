#include "stoker/metrics/log_cosh_error.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/log_cosh.h"

namespace stoker::metrics {

template <class V>
void visit(LogCoshErrorArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<LogCoshErrorArgs> registered{"LogCoshError", LogCoshError};

std::shared_ptr<Metric> LogCoshError(const LogCoshErrorArgs& args) {
  return nn::mean_of("LogCoshError", args, nn::values_of(losses::LogCosh()));
}

}  // namespace stoker::metrics
