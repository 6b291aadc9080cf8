#include "stoker/metrics/root_mean_squared_error.h"

#include "nn/losses/values.h"
#include "nn/metrics/mean_metric.h"
#include "stoker/ops/elementwise.h"

namespace stoker::metrics {

template <class V>
void visit(RootMeanSquaredErrorArgs& a, V& v) {
  nn::visit_metric(a, v);
}

namespace {

class RootOfMean : public nn::MeanMetric {
 public:
  using MeanMetric::MeanMetric;
  std::string class_name() const override { return "RootMeanSquaredError"; }
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    const auto [target, output] = nn::match(name(), y_true, y_pred);
    add(ops::square(output - target), sample_weight);
  }
  Tensor result() const override { return ops::sqrt(MeanMetric::result()); }
};

const nn::RegisterMetric<RootMeanSquaredErrorArgs> registered{"RootMeanSquaredError",
                                                              RootMeanSquaredError};

}  // namespace

std::shared_ptr<Metric> RootMeanSquaredError(const RootMeanSquaredErrorArgs& args) {
  return std::make_shared<RootOfMean>(args.name, args.dtype);
}

}  // namespace stoker::metrics
