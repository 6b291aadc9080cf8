#include "stoker/metrics/categorical_crossentropy.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/categorical_crossentropy.h"

namespace stoker::metrics {

template <class V>
void visit(CategoricalCrossentropyArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("from_logits", a.from_logits);
  v("label_smoothing", a.label_smoothing);
  v("axis", a.axis);
}

static const nn::RegisterMetric<CategoricalCrossentropyArgs> registered{"CategoricalCrossentropy",
                                                                        CategoricalCrossentropy};

std::shared_ptr<Metric> CategoricalCrossentropy(const CategoricalCrossentropyArgs& args) {
  const LossRef loss = losses::CategoricalCrossentropy({.from_logits = args.from_logits,
                                                        .label_smoothing = args.label_smoothing,
                                                        .axis = args.axis});
  return nn::mean_of("CategoricalCrossentropy", args, nn::values_of(loss));
}

}  // namespace stoker::metrics
