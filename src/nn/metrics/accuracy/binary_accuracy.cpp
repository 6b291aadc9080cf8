#include "stoker/metrics/binary_accuracy.h"

#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"

namespace stoker::metrics {

template <class V>
void visit(BinaryAccuracyArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("threshold", a.threshold);
}

static const nn::RegisterMetric<BinaryAccuracyArgs> registered{"BinaryAccuracy", BinaryAccuracy};

std::shared_ptr<Metric> BinaryAccuracy(const BinaryAccuracyArgs& args) {
  return nn::mean_of("BinaryAccuracy", args,
                     [threshold = args.threshold](const Tensor& y_true, const Tensor& y_pred) {
                       const auto [target, output] = nn::match("binary_accuracy", y_true, y_pred);
                       return ops::equal(
                           target, ops::cast(ops::greater(output, threshold), target.dtype()));
                     });
}

}  // namespace stoker::metrics
