#include "stoker/metrics/squared_hinge.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/squared_hinge.h"

namespace stoker::metrics {

template <class V>
void visit(SquaredHingeArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<SquaredHingeArgs> registered{"SquaredHinge", SquaredHinge};

std::shared_ptr<Metric> SquaredHinge(const SquaredHingeArgs& args) {
  return nn::mean_of("SquaredHinge", args, nn::values_of(losses::SquaredHinge()));
}

}  // namespace stoker::metrics
