#include "stoker/metrics/recall_at_precision.h"

#include "nn/metrics/confusion/best_at.h"

namespace stoker::metrics {

template <class V>
void visit(RecallAtPrecisionArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("class_id", a.class_id);
  v("num_thresholds", a.num_thresholds);
  v("precision", a.precision, nn::required);
}

static const nn::RegisterMetric<RecallAtPrecisionArgs> registered{"RecallAtPrecision",
                                                                  RecallAtPrecision};

std::shared_ptr<Metric> RecallAtPrecision(const RecallAtPrecisionArgs& args) {
  return std::make_shared<nn::BestAt<RecallAtPrecisionArgs>>(
      "RecallAtPrecision", args, nn::Rate::sensitivity, nn::Rate::precision, args.precision);
}

}  // namespace stoker::metrics
