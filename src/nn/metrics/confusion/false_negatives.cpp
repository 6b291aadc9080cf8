#include "stoker/metrics/false_negatives.h"

#include "nn/metrics/confusion/confusion_count.h"

namespace stoker::metrics {

template <class V>
void visit(FalseNegativesArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_thresholds(v, a.thresholds);
}

static const nn::RegisterMetric<FalseNegativesArgs> registered{"FalseNegatives", FalseNegatives};

std::shared_ptr<Metric> FalseNegatives(const FalseNegativesArgs& args) {
  return std::make_shared<nn::ConfusionCount<FalseNegativesArgs>>("FalseNegatives", args,
                                                                  nn::Count::false_negatives);
}

}  // namespace stoker::metrics
