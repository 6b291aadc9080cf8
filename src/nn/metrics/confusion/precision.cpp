#include "stoker/metrics/precision.h"

#include "nn/metrics/confusion/confusion_share.h"

namespace stoker::metrics {

template <class V>
void visit(PrecisionArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_thresholds(v, a.thresholds);
  v("top_k", a.top_k);
  v("class_id", a.class_id);
}

static const nn::RegisterMetric<PrecisionArgs> registered{"Precision", Precision};

std::shared_ptr<Metric> Precision(const PrecisionArgs& args) {
  return std::make_shared<nn::ConfusionShare<PrecisionArgs>>(
      "Precision", args, nn::Count::false_positives, "false_positives");
}

}  // namespace stoker::metrics
