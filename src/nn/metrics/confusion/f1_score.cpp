#include "stoker/metrics/f1_score.h"

#include "nn/metrics/confusion/fbeta.h"

namespace stoker::metrics {

template <class V>
void visit(F1ScoreArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_average(a, v);
  v("threshold", a.threshold);
}

static const nn::RegisterMetric<F1ScoreArgs> registered{"F1Score", F1Score};

std::shared_ptr<Metric> F1Score(const F1ScoreArgs& args) {
  return std::make_shared<nn::FBetaMetric<F1ScoreArgs>>("F1Score", args, 1);
}

}  // namespace stoker::metrics
