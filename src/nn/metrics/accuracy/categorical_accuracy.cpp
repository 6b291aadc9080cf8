#include "stoker/metrics/categorical_accuracy.h"

#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

template <class V>
void visit(CategoricalAccuracyArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<CategoricalAccuracyArgs> registered{"CategoricalAccuracy",
                                                                    CategoricalAccuracy};

std::shared_ptr<Metric> CategoricalAccuracy(const CategoricalAccuracyArgs& args) {
  return nn::mean_of("CategoricalAccuracy", args, [](const Tensor& y_true, const Tensor& y_pred) {
    const auto [target, output] = nn::match("categorical_accuracy", y_true, y_pred);
    return ops::equal(ops::argmax(target), ops::argmax(output));
  });
}

}  // namespace stoker::metrics
