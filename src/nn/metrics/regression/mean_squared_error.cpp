#include "stoker/metrics/mean_squared_error.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/mean_squared_error.h"

namespace stoker::metrics {

template <class V>
void visit(MeanSquaredErrorArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<MeanSquaredErrorArgs> registered{
    "MeanSquaredError", MeanSquaredError, {"mse", "MSE"}};

std::shared_ptr<Metric> MeanSquaredError(const MeanSquaredErrorArgs& args) {
  const LossRef loss = losses::MeanSquaredError();
  return nn::mean_of("MeanSquaredError", args, nn::values_of(loss));
}

}  // namespace stoker::metrics
