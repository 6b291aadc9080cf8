#include "stoker/metrics/precision_at_recall.h"

#include "nn/metrics/confusion/best_at.h"

namespace stoker::metrics {

template <class V>
void visit(PrecisionAtRecallArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("class_id", a.class_id);
  v("num_thresholds", a.num_thresholds);
  v("recall", a.recall, nn::required);
}

static const nn::RegisterMetric<PrecisionAtRecallArgs> registered{"PrecisionAtRecall",
                                                                  PrecisionAtRecall};

std::shared_ptr<Metric> PrecisionAtRecall(const PrecisionAtRecallArgs& args) {
  return std::make_shared<nn::BestAt<PrecisionAtRecallArgs>>(
      "PrecisionAtRecall", args, nn::Rate::precision, nn::Rate::sensitivity, args.recall);
}

}  // namespace stoker::metrics
