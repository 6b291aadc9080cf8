#include "stoker/metrics/accuracy.h"

#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"

namespace stoker::metrics {

template <class V>
void visit(AccuracyArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<AccuracyArgs> registered{"Accuracy", Accuracy};

std::shared_ptr<Metric> Accuracy(const AccuracyArgs& args) {
  return nn::mean_of("Accuracy", args, [](const Tensor& y_true, const Tensor& y_pred) {
    const auto [target, output] = nn::match("accuracy", y_true, y_pred);
    return ops::equal(target, output);
  });
}

}  // namespace stoker::metrics
