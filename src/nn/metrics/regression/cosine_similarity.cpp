#include "stoker/metrics/cosine_similarity.h"

#include "nn/losses/loss_of.h"
#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

template <class V>
void visit(CosineSimilarityArgs& a, V& v) {
  nn::visit_metric(a, v);
  nn::visit_unless_default(v, "axis", a.axis, CosineSimilarityArgs().axis);
}

static const nn::RegisterMetric<CosineSimilarityArgs> registered{"CosineSimilarity",
                                                                 CosineSimilarity};

std::shared_ptr<Metric> CosineSimilarity(const CosineSimilarityArgs& args) {
  return nn::mean_of(
      "CosineSimilarity", args, [axis = args.axis](const Tensor& y_true, const Tensor& y_pred) {
        const auto [target, output] = nn::match("cosine_similarity", y_true, y_pred);
        return ops::sum(nn::unit_length(target, axis) * nn::unit_length(output, axis),
                        {.axis = {axis}});
      });
}

}  // namespace stoker::metrics
