#include "stoker/metric.h"

#include <algorithm>
#include <cctype>

#include "graph/graph.h"
#include "nn/config/function_object.h"
#include "nn/config/own_classes.h"
#include "nn/config/registry.h"
#include "nn/metrics/mean_metric.h"
#include "nn/training/inputs/target_kind.h"
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

Metric::~Metric() = default;

void Metric::reset_state() {
  for (const Variable& v : variables_) v.set(Array(v.dtype(), v.shape()));
}

Config Metric::get_config() const {
  return Config::map({{"name", name_}, {"dtype", std::string(name_of(dtype_))}});
}

Variable Metric::add_variable(const std::string& name, const Shape& shape) {
  const TensorType type{dtype_, shape};
  variables_.push_back(make_variable(type, name_ + "/" + name, false,
                                     [type] { return Array(type.dtype, type.shape); }));
  variables_.back().state()->sums_over_ranks = true;
  return variables_.back();
}

MetricRef::MetricRef(Function function, std::string name)
    : metric_(std::make_shared<nn::MeanOf>("MeanMetricWrapper", name, DType::float32,
                                           std::move(function),
                                           Config::map({{"name", name}, {"dtype", "float32"}}))) {}

static bool is_metric(const std::string& function) {
  return std::ranges::any_of(MetricRegistry::instance().class_names(),
                             [&](const auto& name) { return nn::to_snake_case(name) == function; });
}

static bool is_loss_object(const Config& given) {
  const Config* module = given.find("module");
  return module && module->is_string() && module->as_string().starts_with("keras.losses");
}

// Keras accepts a loss as a metric: the mean of its reduced values over the batches.
static nn::MetricPtr metric_of_loss(const Config& given) {
  const LossRef loss(given);
  return std::make_shared<nn::MeanOf>(
      "MeanMetricWrapper", loss->name(), DType::float32,
      [loss](const Tensor& y_true, const Tensor& y_pred) { return loss(y_true, y_pred); },
      Config::map({{"name", loss->name()}, {"dtype", "float32"}, {"fn", given}}));
}

// A function that is only known as a loss, such as huber, becomes a mean metric.
static nn::MetricPtr make_metric(const Config& given) {
  if (is_loss_object(given)) return metric_of_loss(given);
  const auto& registry = MetricRegistry::instance();
  const Config config = nn::without_wrapper(given, "MeanMetricWrapper");
  const bool is_function = config != given;
  const nn::ObjectConfig object = nn::parse_object(config);
  if (!is_function || is_metric(object.class_name)) return registry.make(config, "metric");
  Config arguments = Config::map();
  std::string name = object.class_name;
  for (const auto& [key, value] : object.config.as_map())
    if (key == "name")
      name = value.as_string();
    else if (key != "dtype")
      arguments[key] = value;
  const LossRef loss(nn::make_object(object.class_name, arguments));
  Config written = object.config;
  written["fn"] = object.class_name;
  return std::make_shared<nn::MeanOf>("MeanMetricWrapper", name, DType::float32,
                                      nn::values_of(loss), written);
}

std::shared_ptr<Metric> MetricRef::make(const TensorType& y_true, const TensorType& y_pred) const {
  if (metric_) return metric_;
  if (!config_.is_string()) return make_metric(config_);
  const std::string& name = config_.as_string();
  const std::string kind = lower(name);
  auto metric = make_metric(is_chosen_by_shapes(kind)
                                ? class_for(kind, nn::target_kind(y_true.shape, y_pred.shape))
                                : name);
  if (nn::own_named(name).empty()) metric->set_name(name);
  return metric;
}

void MetricRef::check() const {
  if (metric_ || (config_.is_string() && is_chosen_by_shapes(lower(config_.as_string())))) return;
  make_metric(config_);
}

Config MetricRef::to_config() const {
  return metric_ ? nn::serialize_object<nn::MetricPtr>("keras.metrics", *metric_) : config_;
}

}  // namespace stoker
