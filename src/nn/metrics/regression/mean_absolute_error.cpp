#include "stoker/metrics/mean_absolute_error.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/mean_absolute_error.h"

namespace stoker::metrics {

template <class V>
void visit(MeanAbsoluteErrorArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<MeanAbsoluteErrorArgs> registered{
    "MeanAbsoluteError", MeanAbsoluteError, {"mae", "MAE"}};

std::shared_ptr<Metric> MeanAbsoluteError(const MeanAbsoluteErrorArgs& args) {
  const LossRef loss = losses::MeanAbsoluteError();
  return nn::mean_of("MeanAbsoluteError", args, nn::values_of(loss));
}

}  // namespace stoker::metrics
