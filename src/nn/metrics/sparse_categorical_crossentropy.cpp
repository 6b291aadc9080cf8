#include "stoker/metrics/sparse_categorical_crossentropy.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/sparse_categorical_crossentropy.h"

namespace stoker::metrics {

template <class V>
void visit(SparseCategoricalCrossentropyArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("from_logits", a.from_logits);
  v("ignore_class", a.ignore_class);
  v("axis", a.axis);
}

static const nn::RegisterMetric<SparseCategoricalCrossentropyArgs> registered{
    "SparseCategoricalCrossentropy", SparseCategoricalCrossentropy};

std::shared_ptr<Metric> SparseCategoricalCrossentropy(
    const SparseCategoricalCrossentropyArgs& args) {
  const LossRef loss = losses::SparseCategoricalCrossentropy(
      {.from_logits = args.from_logits, .ignore_class = args.ignore_class, .axis = args.axis});
  return nn::mean_of("SparseCategoricalCrossentropy", args, nn::values_of(loss));
}

}  // namespace stoker::metrics
