#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nn/metrics/mean_metric.h"
#include "stoker/ops/shape_ops.h"

// Confusion counts for precision, recall, AUC and similar metrics: true and false positives and
// negatives at thresholds.
namespace stoker::nn {

struct ConfusionArgs {
  std::vector<double> thresholds;
  std::optional<int64_t> top_k = {}, class_id = {};
  bool multi_label = false;  // separate counts for each column of outputs (batch, labels)
  std::vector<double> label_weights = {};  // of the last axis
};

enum class Count { true_positives, false_positives, true_negatives, false_negatives };

// Each count has shape (thresholds,), or (thresholds, labels).
class Confusion {
 public:
  Confusion(const std::string& metric, const ConfusionArgs& args, const Tensor& y_true,
            const Tensor& y_pred, const Tensor& sample_weight, DType dtype);
  Tensor operator[](Count count) const;

 private:
  Tensor true_positives_, false_positives_, positives_, negatives_;
};

// n evenly spaced thresholds from 0 to 1.
std::vector<double> even_thresholds(int64_t n);

// Keras's thresholds: None, a number or a list of numbers in [0, 1].
template <class V>
void visit_thresholds(V& v, std::vector<double>& thresholds) {
  Config config = thresholds.empty() ? Config()
                  : thresholds.size() == 1
                      ? Config(thresholds[0])
                      : Config(Config::List(thresholds.begin(), thresholds.end()));
  v("thresholds", config);
  thresholds.clear();
  if (config.is_number()) thresholds.push_back(config.as_double());
  if (config.is_list())
    for (const Config& value : config.as_list()) thresholds.push_back(value.as_double());
}
std::vector<double> checked_thresholds(const std::string& name, const std::vector<double>& given,
                                       double by_default);

// A metric that accumulates some of the counts.
template <class Args>
class ConfusionMetric : public MetricOf<Args> {
 public:
  ConfusionMetric(std::string class_name, const Args& args, ConfusionArgs confusion,
                  const std::vector<std::pair<Count, std::string>>& counts)
      : MetricOf<Args>(std::move(class_name), args), confusion_(std::move(confusion)) {
    const auto n = static_cast<int64_t>(confusion_.thresholds.size());
    for (const auto& [count, name] : counts)
      counts_.emplace_back(count, this->add_variable(name, {n}));
  }
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    const Confusion now(this->name(), confusion_, y_true, y_pred, sample_weight, this->dtype());
    for (const auto& [count, variable] : counts_) variable.assign(variable + now[count]);
  }

 protected:
  Tensor sum_of(Count wanted) const {
    for (const auto& [count, variable] : counts_)
      if (count == wanted) return variable;
    return {};
  }
  // A scalar if there is one threshold.
  Tensor by_threshold(const Tensor& values) const {
    return confusion_.thresholds.size() == 1 ? ops::reshape(values, {}) : values;
  }

 private:
  ConfusionArgs confusion_;
  std::vector<std::pair<Count, Variable>> counts_;
};

}  // namespace stoker::nn
