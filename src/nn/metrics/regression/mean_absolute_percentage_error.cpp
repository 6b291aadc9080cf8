#include "stoker/metrics/mean_absolute_percentage_error.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/mean_absolute_percentage_error.h"

namespace stoker::metrics {

template <class V>
void visit(MeanAbsolutePercentageErrorArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<MeanAbsolutePercentageErrorArgs> registered{
    "MeanAbsolutePercentageError", MeanAbsolutePercentageError, {"mape", "MAPE"}};

std::shared_ptr<Metric> MeanAbsolutePercentageError(const MeanAbsolutePercentageErrorArgs& args) {
  return nn::mean_of("MeanAbsolutePercentageError", args,
                     nn::values_of(losses::MeanAbsolutePercentageError()));
}

}  // namespace stoker::metrics
