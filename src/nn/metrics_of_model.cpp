#include "nn/metrics_of_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/scope.h"
#include "nn/functional.h"
#include "stoker/metrics/mean.h"
#include "stoker/ops/elementwise.h"

namespace stoker::nn {
namespace {

Tensor batch_size(const StepData& data) {
  return Tensor(Array::scalar(static_cast<float>(data.x.at(0).shape()[0])));
}

std::vector<MetricRef> plain_metrics(const CompileArgs& settings, size_t output, size_t outputs) {
  if (output < settings.output_metrics.size()) return settings.output_metrics[output];
  return outputs == 1 ? settings.metrics : std::vector<MetricRef>{};
}

bool has_name(const std::vector<std::shared_ptr<Metric>>& metrics, const std::string& name) {
  return std::ranges::any_of(metrics, [&](const auto& metric) { return metric->name() == name; });
}

void make_metrics(Model::Impl& impl, const StepData& data, const std::vector<Tensor>& y_pred) {
  const size_t outputs = y_pred.size();
  impl.output_names = output_names(*impl.network, outputs);
  impl.metrics = {metrics::Mean({.name = "loss"})};
  impl.by_output.resize(outputs);
  const auto add = [&](const MetricRef& ref, size_t i, std::vector<std::shared_ptr<Metric>>& list) {
    auto metric = ref.make(data.y[i].type(), y_pred[i].type());
    if (outputs > 1) metric->set_name(impl.output_names[i] + "_" + metric->name());
    list.push_back(metric);
    impl.metrics.push_back(metric);
  };
  for (size_t i = 0; i < outputs; ++i) {
    auto& own = impl.by_output[i];
    if (outputs > 1) {
      own.loss = metrics::Mean({.name = impl.output_names[i] + "_loss"});
      impl.metrics.push_back(own.loss);
    }
    for (const MetricRef& ref : plain_metrics(*impl.settings, i, outputs)) add(ref, i, own.plain);
    if (outputs > 1) continue;
    for (const MetricRef& ref : impl.settings->weighted_metrics) add(ref, i, own.weighted);
    for (const auto& metric : own.weighted)
      if (has_name(own.plain, metric->name())) metric->set_name("weighted_" + metric->name());
  }
}

}  // namespace

std::vector<std::string> output_names(const Layer& network, size_t outputs) {
  std::vector<std::string> names;
  if (auto* functional = dynamic_cast<const FunctionalNetwork*>(&network))
    for (const Tensor& output : functional->outputs()) names.push_back(as_spec(output)->node->name);
  for (size_t i = names.size(); i < outputs; ++i) names.push_back(fmt::format("output_{}", i + 1));
  return names;
}

void check_outputs(const Model& model, Model::Impl& impl, const StepData& data,
                   const std::vector<Tensor>& y_pred) {
  const auto& settings = *impl.settings;
  const auto expect = [&](bool ok, const std::string& what) {
    if (!ok) throw InvalidArgument(fmt::format("model \"{}\": {}", model.name(), what));
  };
  expect(
      data.y.size() == y_pred.size() || settings.loss.empty(),
      fmt::format("it has {} outputs, but {} targets were given.", y_pred.size(), data.y.size()));
  expect(settings.loss.size() <= 1 || settings.loss.size() == y_pred.size(),
         fmt::format("{} losses for {} outputs.", settings.loss.size(), y_pred.size()));
  expect(
      settings.loss_weights.empty() || settings.loss_weights.size() == y_pred.size(),
      fmt::format("{} loss_weights for {} outputs.", settings.loss_weights.size(), y_pred.size()));
  expect(settings.output_metrics.empty() || settings.output_metrics.size() == y_pred.size(),
         fmt::format("{} lists of metrics for {} outputs.", settings.output_metrics.size(),
                     y_pred.size()));
  expect(y_pred.size() == 1 || settings.metrics.empty(),
         "with several outputs, give output_metrics a list for each.");
  if (impl.metrics.empty() && data.y.size() == y_pred.size()) make_metrics(impl, data, y_pred);
}

void track_output_loss(Model::Impl& impl, size_t output, const Tensor& loss) {
  impl.by_output.at(output).loss->update_state(loss, {});
}

void update_metrics(Model::Impl& impl, const StepData& data, const std::vector<Tensor>& y_pred,
                    const Tensor& loss) {
  impl.metrics.at(0)->update_state(loss, {}, batch_size(data));
  for (size_t i = 0; i < impl.by_output.size(); ++i) {
    const bool wants_digits = is_half(y_pred[i].dtype());
    const Tensor output = wants_digits ? ops::cast(y_pred[i], DType::float32) : y_pred[i];
    if (wants_digits) output.set_mask(y_pred[i].mask());
    for (const auto& metric : impl.by_output[i].plain) metric->update_state(data.y[i], output);
    for (const auto& metric : impl.by_output[i].weighted)
      metric->update_state(data.y[i], output, data.sample_weight[i]);
  }
}

void reset_metrics(Model::Impl& impl) {
  for (const auto& metric : impl.metrics) metric->reset_state();
}

// A few numbers: fetched and computed with on the host, however far away the step runs.
Logs read_metrics(const Model::Impl& impl) {
  const device::Scope host(device::host_device());
  std::vector<std::pair<std::string, double>> values;
  for (const auto& metric : impl.metrics)
    values.emplace_back(metric->name(), metric->result().item());
  std::sort(values.begin(), values.end());  // Keras's order
  Logs logs;
  for (const auto& [name, value] : values) logs.set(name, value);
  return logs;
}

}  // namespace stoker::nn
