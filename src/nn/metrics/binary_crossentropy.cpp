#include "stoker/metrics/binary_crossentropy.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/binary_crossentropy.h"

namespace stoker::metrics {

template <class V>
void visit(BinaryCrossentropyArgs& a, V& v) {
  v("name", a.name);
  v.accept_and_ignore("dtype");
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
  return std::make_shared<nn::MeanOf>(
      "BinaryCrossentropy", args.name,
      [loss](const Tensor& y_true, const Tensor& y_pred) { return loss->call(y_true, y_pred); },
      nn::write_args(args));
}

}  // namespace stoker::metrics
