#include "stoker/metrics/concordance_correlation.h"

#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

template <class V>
void visit(ConcordanceCorrelationArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("axis", a.axis);
}

static const nn::RegisterMetric<ConcordanceCorrelationArgs> registered{"ConcordanceCorrelation",
                                                                       ConcordanceCorrelation};

std::shared_ptr<Metric> ConcordanceCorrelation(const ConcordanceCorrelationArgs& args) {
  return nn::mean_of(
      "ConcordanceCorrelation", args,
      [axis = args.axis](const Tensor& y_true, const Tensor& y_pred) {
        const auto [target, output] = nn::match("concordance_correlation", y_true, y_pred);
        const ops::ReduceArgs along{.axis = {axis}, .keepdims = true};
        const Tensor target_mean = ops::mean(target, along), output_mean = ops::mean(output, along);
        const Tensor spread = ops::mean(ops::square(target - target_mean), along) +
                              ops::mean(ops::square(output - output_mean), along) +
                              ops::square(target_mean - output_mean);
        const Tensor together = (target - output_mean) * (output - output_mean);
        return ops::mean(2.0 * together / (spread + 1e-7), {.axis = {axis}});
      });
}

}  // namespace stoker::metrics
