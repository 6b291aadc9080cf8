#include "stoker/metric.h"

#include <cctype>

#include "nn/metrics/mean_metric.h"
#include "nn/registry.h"
#include "stoker/variable_factory.h"

namespace stoker {
namespace {

using MetricRegistry = nn::Registry<nn::MetricPtr>;

enum class Family { binary, sparse, categorical };

// What Keras concludes from the last axes about an unspecific "accuracy" or "crossentropy".
Family family_of(const Shape& y_true, const Shape& y_pred) {
  if (y_pred.rank() > 0 && y_pred.back() == 1) return Family::binary;
  const bool one_label = y_true.rank() > 0 && y_true.back() == 1;
  return y_true.rank() < y_pred.rank() || one_label ? Family::sparse : Family::categorical;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_chosen_by_shapes(const std::string& kind) {
  return kind == "accuracy" || kind == "acc" || kind == "crossentropy" || kind == "ce";
}

std::string class_for(const std::string& kind, Family family) {
  const std::string prefix = family == Family::binary   ? "Binary"
                             : family == Family::sparse ? "SparseCategorical"
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
          ? registry.make(class_for(kind, family_of(y_true.shape, y_pred.shape)), "metric")
          : registry.make(config_, "metric");
  metric->set_name(name);
  return metric;
}

void MetricRef::check() const {
  if (metric_ || (config_.is_string() && is_chosen_by_shapes(lower(config_.as_string())))) return;
  MetricRegistry::instance().make(config_, "metric");
}

}  // namespace stoker
