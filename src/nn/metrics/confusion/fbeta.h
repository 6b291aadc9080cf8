#pragma once
#include <optional>

#include "nn/metrics/mean_metric.h"

namespace stoker::nn {

// Keras's None means no averaging.
template <class Args, class V>
void visit_average(Args& a, V& v) {
  v.or_none("average", a.average);
}

// Counts and score of FBetaScore and F1Score.
class FBeta {
 public:
  FBeta(const std::string& name, std::string average, double beta, std::optional<double> threshold);
  // True positives, false positives, false negatives and targets, each a scalar or one per class.
  std::vector<Tensor> counts(const std::string& name, const Tensor& y_true, const Tensor& y_pred,
                             const Tensor& sample_weight, DType dtype) const;
  Tensor score(const std::vector<Variable>& sums) const;

 private:
  std::string average_;
  double beta_;
  std::optional<double> threshold_;
};

template <class Args>
class FBetaMetric : public MetricOf<Args> {
 public:
  FBetaMetric(const std::string& class_name, const Args& args, double beta)
      : MetricOf<Args>(class_name, args), rule_(args.name, args.average, beta, args.threshold) {}
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    const auto now = rule_.counts(this->name(), y_true, y_pred, sample_weight, this->dtype());
    if (this->variables().empty())
      for (const char* name :
           {"true_positives", "false_positives", "false_negatives", "intermediate_weights"})
        this->add_variable(name, now[0].shape());
    for (size_t i = 0; i < now.size(); ++i)
      this->variables()[i].assign(this->variables()[i] + now[i]);
  }
  Tensor result() const override {
    if (this->variables().empty()) return Tensor(Array(this->dtype(), {}));
    return rule_.score(this->variables());
  }

 private:
  FBeta rule_;
};

}  // namespace stoker::nn
