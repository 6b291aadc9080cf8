#include "stoker/metric.h"

#include <cctype>

#include "nn/metrics/mean_metric.h"
#include "nn/registry.h"
#include "nn/target_kind.h"
#include "stoker/variable_factory.h"

namespace stoker {
namespace {

using MetricRegistry = nn::Registry<nn::MetricPtr>;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_chosen_by_shapes(const std::string& kind) {
  return kind == "accuracy" || kind == "acc" || kind == "crossentropy" || kind == "ce";
}

std::string class_for(const std::string& kind, nn::TargetKind family) {
  const std::string prefix = family == nn::TargetKind::binary   ? "Binary"
                             : family == nn::TargetKind::sparse ? "SparseCategorical"
                                                                : "Categorical";
  return prefix + (kind.front() == 'a' ? "Accuracy" : "Crossentropy");
}

}  // namespace

void Metric::reset_state() {
  for (const Variable& v : variables_) v.set(Array(v.dtype(), v.shape()));
}

Variable Metric::add_variable(const std::string& name, const Shape& shape, DType dtype) {
  variables_.push_back(make_variable({dtype, shape}, name_ + "/" + name, false,
                                     [dtype, shape] { return Array(dtype, shape); }));
  return variables_.back();
}

MetricRef::MetricRef(Function function, std::string name)
    : metric_(std::make_shared<nn::MeanOf>("MeanMetricWrapper", std::move(name),
                                           std::move(function))) {}

std::shared_ptr<Metric> MetricRef::make(const TensorType& y_true, const TensorType& y_pred) const {
  if (metric_) return metric_;
  const auto& registry = MetricRegistry::instance();
  if (!config_.is_string()) return registry.make(config_, "metric");
  const std::string& name = config_.as_string();
  const std::string kind = lower(name);
  auto metric =
      is_chosen_by_shapes(kind)
          ? registry.make(class_for(kind, nn::target_kind(y_true.shape, y_pred.shape)), "metric")
          : registry.make(config_, "metric");
  metric->set_name(name);
  return metric;
}

void MetricRef::check() const {
  if (metric_ || (config_.is_string() && is_chosen_by_shapes(lower(config_.as_string())))) return;
  MetricRegistry::instance().make(config_, "metric");
}

}  // namespace stoker
