#include "stoker/metrics/false_positives.h"

#include "nn/metrics/confusion/confusion_count.h"

namespace stoker::metrics {

template <class V>
void visit(FalsePositivesArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_thresholds(v, a.thresholds);
}

static const nn::RegisterMetric<FalsePositivesArgs> registered{"FalsePositives", FalsePositives};

std::shared_ptr<Metric> FalsePositives(const FalsePositivesArgs& args) {
  return std::make_shared<nn::ConfusionCount<FalsePositivesArgs>>("FalsePositives", args,
                                                                  nn::Count::false_positives);
}

}  // namespace stoker::metrics
