#include "stoker/metrics/sparse_categorical_accuracy.h"

#include "nn/losses/labels.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

template <class V>
void visit(SparseCategoricalAccuracyArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<SparseCategoricalAccuracyArgs> registered{
    "SparseCategoricalAccuracy", SparseCategoricalAccuracy};

std::shared_ptr<Metric> SparseCategoricalAccuracy(const SparseCategoricalAccuracyArgs& args) {
  return nn::mean_of(
      "SparseCategoricalAccuracy", args, [](const Tensor& y_true, const Tensor& y_pred) {
        const Tensor labels = nn::labels_for("sparse_categorical_accuracy", y_true, y_pred.shape());
        return ops::equal(ops::cast(labels, DType::int64), ops::argmax(y_pred));
      });
}

}  // namespace stoker::metrics
