#include "stoker/metrics/mean_squared_error.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/mean_squared_error.h"

namespace stoker::metrics {

template <class V>
void visit(MeanSquaredErrorArgs& a, V& v) {
  v("name", a.name);
  v.accept_and_ignore("dtype");
}

static const nn::RegisterMetric<MeanSquaredErrorArgs> registered{
    "MeanSquaredError", MeanSquaredError, {"mse", "MSE"}};

std::shared_ptr<Metric> MeanSquaredError(const MeanSquaredErrorArgs& args) {
  const LossRef loss = losses::MeanSquaredError();
  return std::make_shared<nn::MeanOf>(
      "MeanSquaredError", args.name,
      [loss](const Tensor& y_true, const Tensor& y_pred) { return loss->call(y_true, y_pred); });
}

}  // namespace stoker::metrics
