#include "stoker/metrics/sparse_categorical_crossentropy.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/sparse_categorical_crossentropy.h"

namespace stoker::metrics {

template <class V>
void visit(SparseCategoricalCrossentropyArgs& a, V& v) {
  v("name", a.name);
  v.accept_and_ignore("dtype");
  v("from_logits", a.from_logits);
  v("axis", a.axis);
}

static const nn::RegisterMetric<SparseCategoricalCrossentropyArgs> registered{
    "SparseCategoricalCrossentropy", SparseCategoricalCrossentropy};

std::shared_ptr<Metric> SparseCategoricalCrossentropy(
    const SparseCategoricalCrossentropyArgs& args) {
  const LossRef loss =
      losses::SparseCategoricalCrossentropy({.from_logits = args.from_logits, .axis = args.axis});
  return std::make_shared<nn::MeanOf>(
      "SparseCategoricalCrossentropy", args.name,
      [loss](const Tensor& y_true, const Tensor& y_pred) { return loss->call(y_true, y_pred); },
      nn::write_args(args));
}

}  // namespace stoker::metrics
