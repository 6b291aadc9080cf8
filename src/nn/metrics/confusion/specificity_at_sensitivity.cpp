#include "stoker/metrics/specificity_at_sensitivity.h"

#include "nn/metrics/confusion/best_at.h"

namespace stoker::metrics {

template <class V>
void visit(SpecificityAtSensitivityArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("class_id", a.class_id);
  v("num_thresholds", a.num_thresholds);
  v("sensitivity", a.sensitivity, nn::required);
}

static const nn::RegisterMetric<SpecificityAtSensitivityArgs> registered{"SpecificityAtSensitivity",
                                                                         SpecificityAtSensitivity};

std::shared_ptr<Metric> SpecificityAtSensitivity(const SpecificityAtSensitivityArgs& args) {
  return std::make_shared<nn::BestAt<SpecificityAtSensitivityArgs>>(
      "SpecificityAtSensitivity", args, nn::Rate::specificity, nn::Rate::sensitivity,
      args.sensitivity);
}

}  // namespace stoker::metrics
