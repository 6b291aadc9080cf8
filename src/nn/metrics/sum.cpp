#include "stoker/metrics/sum.h"

#include "nn/metrics/mean_metric.h"
#include "nn/metrics/samplewise.h"
#include "stoker/ops/reduce.h"

namespace stoker::metrics {

template <class V>
void visit(SumArgs& a, V& v) {
  nn::visit_metric(a, v);
}

namespace {

class SumOfValues : public Metric {
 public:
  SumOfValues(const std::string& name, DType dtype)
      : Metric(name, dtype), total_(add_variable("total")) {}
  std::string class_name() const override { return "Sum"; }
  Tensor result() const override { return total_; }
  void update_state(const Tensor& values, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    nn::expect_values_only(name(), y_pred);
    const auto samples = nn::samplewise(values, sample_weight, nn::Within::sum, dtype()).values;
    total_.assign(total_ + ops::sum(samples));
  }

 private:
  Variable total_;
};

const nn::RegisterMetric<SumArgs> registered{"Sum", Sum};

}  // namespace

std::shared_ptr<Metric> Sum(const SumArgs& args) {
  return std::make_shared<SumOfValues>(args.name, args.dtype);
}

}  // namespace stoker::metrics
