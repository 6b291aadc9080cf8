#include "stoker/metrics/binary_crossentropy.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/binary_crossentropy.h"

namespace stoker::metrics {

template <class V>
void visit(BinaryCrossentropyArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("from_logits", a.from_logits);
  v("label_smoothing", a.label_smoothing);
  v("axis", a.axis);
}

static const nn::RegisterMetric<BinaryCrossentropyArgs> registered{
    "BinaryCrossentropy", BinaryCrossentropy, {"bce", "BCE"}};

std::shared_ptr<Metric> BinaryCrossentropy(const BinaryCrossentropyArgs& args) {
  const LossRef loss = losses::BinaryCrossentropy({.from_logits = args.from_logits,
                                                   .label_smoothing = args.label_smoothing,
                                                   .axis = args.axis});
  return nn::mean_of("BinaryCrossentropy", args, nn::values_of(loss));
}

}  // namespace stoker::metrics
