#include "stoker/metrics/recall.h"

#include "nn/metrics/confusion/confusion_share.h"

namespace stoker::metrics {

template <class V>
void visit(RecallArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_thresholds(v, a.thresholds);
  v("top_k", a.top_k);
  v("class_id", a.class_id);
}

static const nn::RegisterMetric<RecallArgs> registered{"Recall", Recall};

std::shared_ptr<Metric> Recall(const RecallArgs& args) {
  return std::make_shared<nn::ConfusionShare<RecallArgs>>(
      "Recall", args, nn::Count::false_negatives, "false_negatives");
}

}  // namespace stoker::metrics
