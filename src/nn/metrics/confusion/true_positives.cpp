#include "stoker/metrics/true_positives.h"

#include "nn/metrics/confusion/confusion_count.h"

namespace stoker::metrics {

template <class V>
void visit(TruePositivesArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_thresholds(v, a.thresholds);
}

static const nn::RegisterMetric<TruePositivesArgs> registered{"TruePositives", TruePositives};

std::shared_ptr<Metric> TruePositives(const TruePositivesArgs& args) {
  return std::make_shared<nn::ConfusionCount<TruePositivesArgs>>("TruePositives", args,
                                                                 nn::Count::true_positives);
}

}  // namespace stoker::metrics
