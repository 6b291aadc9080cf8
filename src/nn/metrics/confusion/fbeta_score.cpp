#include "stoker/metrics/fbeta_score.h"

#include "nn/metrics/confusion/fbeta.h"

namespace stoker::metrics {

template <class V>
void visit(FBetaScoreArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_average(a, v);
  v("beta", a.beta);
  v("threshold", a.threshold);
}

static const nn::RegisterMetric<FBetaScoreArgs> registered{"FBetaScore", FBetaScore};

std::shared_ptr<Metric> FBetaScore(const FBetaScoreArgs& args) {
  return std::make_shared<nn::FBetaMetric<FBetaScoreArgs>>("FBetaScore", args, args.beta);
}

}  // namespace stoker::metrics
