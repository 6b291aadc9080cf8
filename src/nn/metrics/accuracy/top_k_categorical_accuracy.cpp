#include "stoker/metrics/top_k_categorical_accuracy.h"

#include "nn/losses/values.h"
#include "nn/metrics/accuracy/top_k.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

template <class V>
void visit(TopKCategoricalAccuracyArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("k", a.k);
}

static const nn::RegisterMetric<TopKCategoricalAccuracyArgs> registered{"TopKCategoricalAccuracy",
                                                                        TopKCategoricalAccuracy};

std::shared_ptr<Metric> TopKCategoricalAccuracy(const TopKCategoricalAccuracyArgs& args) {
  return nn::mean_of(
      "TopKCategoricalAccuracy", args, [k = args.k](const Tensor& y_true, const Tensor& y_pred) {
        const auto [target, output] = nn::match("top_k_categorical_accuracy", y_true, y_pred);
        return nn::top_k_hits(ops::argmax(target), output, k);
      });
}

}  // namespace stoker::metrics
