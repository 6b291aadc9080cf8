#include "stoker/metrics/kl_divergence.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/kl_divergence.h"

namespace stoker::metrics {

template <class V>
void visit(KLDivergenceArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<KLDivergenceArgs> registered{"KLDivergence", KLDivergence};

std::shared_ptr<Metric> KLDivergence(const KLDivergenceArgs& args) {
  return nn::mean_of("KLDivergence", args, nn::values_of(losses::KLDivergence()));
}

}  // namespace stoker::metrics
