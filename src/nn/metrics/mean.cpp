#include "stoker/metrics/mean.h"

#include "nn/metrics/mean_metric.h"
#include "nn/metrics/samplewise.h"

namespace stoker::metrics {

template <class V>
void visit(MeanArgs& a, V& v) {
  nn::visit_metric(a, v);
}

namespace {

class MeanOfValues : public nn::MeanMetric {
 public:
  using MeanMetric::MeanMetric;
  std::string class_name() const override { return "Mean"; }
  void update_state(const Tensor& values, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    nn::expect_values_only(name(), y_pred);
    add(values, sample_weight);
  }
};

const nn::RegisterMetric<MeanArgs> registered{"Mean", Mean};

}  // namespace

std::shared_ptr<Metric> Mean(const MeanArgs& args) {
  return std::make_shared<MeanOfValues>(args.name, args.dtype);
}

}  // namespace stoker::metrics
