#include "stoker/metrics/pearson_correlation.h"

#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

template <class V>
void visit(PearsonCorrelationArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("axis", a.axis);
}

// Standardised to mean 0 and standard deviation 1 along the axis.
static Tensor standardised(const Tensor& x, int64_t axis) {
  const ops::ReduceArgs along{.axis = {axis}, .keepdims = true};
  const Tensor centred = x - ops::mean(x, along);
  return centred / ops::sqrt(ops::mean(ops::square(centred), along));
}

static const nn::RegisterMetric<PearsonCorrelationArgs> registered{"PearsonCorrelation",
                                                                   PearsonCorrelation};

std::shared_ptr<Metric> PearsonCorrelation(const PearsonCorrelationArgs& args) {
  return nn::mean_of(
      "PearsonCorrelation", args, [axis = args.axis](const Tensor& y_true, const Tensor& y_pred) {
        const auto [target, output] = nn::match("pearson_correlation", y_true, y_pred);
        return ops::mean(standardised(target, axis) * standardised(output, axis), {.axis = {axis}});
      });
}

}  // namespace stoker::metrics
