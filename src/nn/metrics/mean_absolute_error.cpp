#include "stoker/metrics/mean_absolute_error.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/mean_absolute_error.h"

namespace stoker::metrics {

template <class V>
void visit(MeanAbsoluteErrorArgs& a, V& v) {
  v("name", a.name);
  v.accept_and_ignore("dtype");
}

static const nn::RegisterMetric<MeanAbsoluteErrorArgs> registered{
    "MeanAbsoluteError", MeanAbsoluteError, {"mae", "MAE"}};

std::shared_ptr<Metric> MeanAbsoluteError(const MeanAbsoluteErrorArgs& args) {
  const LossRef loss = losses::MeanAbsoluteError();
  return std::make_shared<nn::MeanOf>(
      "MeanAbsoluteError", args.name,
      [loss](const Tensor& y_true, const Tensor& y_pred) { return loss->call(y_true, y_pred); });
}

}  // namespace stoker::metrics
