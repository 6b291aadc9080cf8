#include "stoker/metrics/true_negatives.h"

#include "nn/metrics/confusion/confusion_count.h"

namespace stoker::metrics {

template <class V>
void visit(TrueNegativesArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_thresholds(v, a.thresholds);
}

static const nn::RegisterMetric<TrueNegativesArgs> registered{"TrueNegatives", TrueNegatives};

std::shared_ptr<Metric> TrueNegatives(const TrueNegativesArgs& args) {
  return std::make_shared<nn::ConfusionCount<TrueNegativesArgs>>("TrueNegatives", args,
                                                                 nn::Count::true_negatives);
}

}  // namespace stoker::metrics
