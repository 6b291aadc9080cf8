#include "stoker/metrics/poisson.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/poisson.h"

namespace stoker::metrics {

template <class V>
void visit(PoissonArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<PoissonArgs> registered{"Poisson", Poisson};

std::shared_ptr<Metric> Poisson(const PoissonArgs& args) {
  return nn::mean_of("Poisson", args, nn::values_of(losses::Poisson()));
}

}  // namespace stoker::metrics
