#include "stoker/metrics/sensitivity_at_specificity.h"

#include "nn/metrics/confusion/best_at.h"

namespace stoker::metrics {

template <class V>
void visit(SensitivityAtSpecificityArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("class_id", a.class_id);
  v("num_thresholds", a.num_thresholds);
  v("specificity", a.specificity, nn::required);
}

static const nn::RegisterMetric<SensitivityAtSpecificityArgs> registered{"SensitivityAtSpecificity",
                                                                         SensitivityAtSpecificity};

std::shared_ptr<Metric> SensitivityAtSpecificity(const SensitivityAtSpecificityArgs& args) {
  return std::make_shared<nn::BestAt<SensitivityAtSpecificityArgs>>(
      "SensitivityAtSpecificity", args, nn::Rate::sensitivity, nn::Rate::specificity,
      args.specificity);
}

}  // namespace stoker::metrics
