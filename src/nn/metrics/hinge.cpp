#include "stoker/metrics/hinge.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/hinge.h"

namespace stoker::metrics {

template <class V>
void visit(HingeArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<HingeArgs> registered{"Hinge", Hinge};

std::shared_ptr<Metric> Hinge(const HingeArgs& args) {
  return nn::mean_of("Hinge", args, nn::values_of(losses::Hinge()));
}

}  // namespace stoker::metrics
