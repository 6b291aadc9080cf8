#include "nn/metrics/mean_metric.h"

#include "graph/emit.h"
#include "nn/losses/values.h"
#include "nn/metrics/samplewise.h"
#include "stoker/ops/reduce.h"

namespace stoker::nn {

MeanMetric::MeanMetric(std::string name)
    : Metric(std::move(name)), total_(add_variable("total")), count_(add_variable("count")) {}

Tensor MeanMetric::result() const { return divide_no_nan(total_, count_); }

void MeanMetric::add(const Tensor& values, const Tensor& sample_weight) {
  const auto [samples, weight] = samplewise(values, sample_weight, Within::mean);
  const auto rows = samples.shape().rank() > 0 ? samples.shape()[0] : 1;
  total_.assign(total_ + ops::sum(samples));
  count_.assign(weight.defined() ? count_ + ops::sum(weight)
                                 : count_.read() + static_cast<double>(rows));
}

MeanOf::MeanOf(std::string class_name, std::string name, Function function, Config config)
    : MeanMetric(std::move(name)),
      class_name_(std::move(class_name)),
      function_(std::move(function)),
      config_(std::move(config)) {}

void MeanOf::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const graph::PathScope path(name());
  add(function_(y_true, y_pred), sample_weight);
}

Config MeanOf::get_config() const {
  Config config = config_;
  config["name"] = name();
  return config;
}

}  // namespace stoker::nn
