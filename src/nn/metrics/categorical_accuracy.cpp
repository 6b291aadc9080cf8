#include "stoker/metrics/categorical_accuracy.h"

#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

template <class V>
void visit(CategoricalAccuracyArgs& a, V& v) {
  v("name", a.name);
  v.accept_and_ignore("dtype");
}

static const nn::RegisterMetric<CategoricalAccuracyArgs> registered{"CategoricalAccuracy",
                                                                    CategoricalAccuracy};

std::shared_ptr<Metric> CategoricalAccuracy(const CategoricalAccuracyArgs& args) {
  return std::make_shared<nn::MeanOf>(
      "CategoricalAccuracy", args.name, [](const Tensor& y_true, const Tensor& y_pred) {
        const auto [target, output] = nn::match("categorical_accuracy", y_true, y_pred);
        return ops::equal(ops::argmax(target), ops::argmax(output));
      });
}

}  // namespace stoker::metrics
