#include "stoker/metrics/categorical_hinge.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/categorical_hinge.h"

namespace stoker::metrics {

template <class V>
void visit(CategoricalHingeArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<CategoricalHingeArgs> registered{"CategoricalHinge",
                                                                 CategoricalHinge};

std::shared_ptr<Metric> CategoricalHinge(const CategoricalHingeArgs& args) {
  return nn::mean_of("CategoricalHinge", args, nn::values_of(losses::CategoricalHinge()));
}

}  // namespace stoker::metrics
