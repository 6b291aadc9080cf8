#include "nn/training/logs/metrics_of_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "device/scope.h"
#include "distribution/slice.h"
#include "exec/host_values.h"
#include "nn/functional.h"
#include "stoker/metrics/mean.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/elementwise.h"

namespace stoker::nn {
namespace {

// Summed over all ranks, as the loss is.
Tensor batch_size(const StepData& data) {
  const distribution::Slice* const slice = distribution::current_slice();
  const int64_t rows = slice ? slice->rows : data.x.at(0).shape()[0];
  return Tensor(Array::scalar(static_cast<float>(rows)));
}

// Keras's names in logs: prefixed by the output's name if there are several, by "weighted_" if an
// unweighted metric has the name, then numbered.
class MetricNames {
 public:
  std::string plain(const std::string& prefix, const std::string& name) {
    return numbered(prefix + name);
  }
  std::string weighted(const std::string& prefix, const std::string& name) {
    return numbered(prefix + (times_.contains(prefix + name) ? "weighted_" : "") + name);
  }

 private:
  std::string numbered(const std::string& name) {
    const int before = times_[name]++;
    return before == 0 ? name : fmt::format("{}_{}", name, before);
  }
  std::map<std::string, int> times_;
};

void make_metrics(TraceResults& traced, const StepData& data, const std::vector<Tensor>& y_pred) {
  const auto add = [&](const std::shared_ptr<Metric>& metric, const std::string& name) {
    traced.metrics.push_back(metric);
    traced.metric_names.push_back(name);
    return metric;
  };
  const auto prefix = [&](size_t i) {
    return y_pred.size() > 1 ? traced.output_names[i] + "_" : std::string();
  };
  traced.metrics.clear();
  traced.metric_names.clear();
  add(metrics::Mean({.name = "loss"}), "loss");
  traced.by_output.resize(y_pred.size());
  const auto has_loss = [](const OutputSettings& output) { return output.loss.defined(); };
  const bool many_losses = std::ranges::count_if(traced.outputs, has_loss) > 1;
  MetricNames names;
  for (size_t i = 0; i < y_pred.size(); ++i) {
    auto& own = traced.by_output[i];
    const std::string loss_name = traced.output_names[i] + "_loss";
    if (many_losses && has_loss(traced.outputs[i]))
      own.loss = add(metrics::Mean({.name = loss_name}), loss_name);
    for (const MetricRef& ref : traced.outputs[i].metrics) {
      const auto metric = ref.make(data.y[i].type(), y_pred[i].type());
      own.plain.push_back(add(metric, names.plain(prefix(i), metric->name())));
    }
  }
  for (size_t i = 0; i < y_pred.size(); ++i)
    for (const MetricRef& ref : traced.outputs[i].weighted_metrics) {
      const auto metric = ref.make(data.y[i].type(), y_pred[i].type());
      traced.by_output[i].weighted.push_back(
          add(metric, names.weighted(prefix(i), metric->name())));
    }
}

}  // namespace

std::vector<std::string> node_names(const std::vector<Tensor>& tensors) {
  std::vector<std::string> names;
  for (const Tensor& tensor : tensors) names.push_back(as_spec(tensor)->node->name);
  return names;
}

// Outputs that are a dict in Python are named by its keys, others by their layers.
static std::vector<std::string> names_of_outputs(const FunctionalNetwork& network) {
  auto names = node_names(network.outputs());
  const Config& structure = network.structure().outputs;
  if (!structure.is_map()) return names;
  const auto is_leaf = [](const Config::Member& member) { return member.second.is_int(); };
  if (!std::ranges::all_of(structure.as_map(), is_leaf)) return names;
  for (const auto& [key, number] : structure.as_map())
    names.at(static_cast<size_t>(number.as_int())) = key;
  return names;
}

std::vector<std::string> output_names(const Layer& network) {
  if (auto* functional = dynamic_cast<const FunctionalNetwork*>(&network))
    return names_of_outputs(*functional);
  return {"output_1"};
}

std::vector<std::string> output_names(const Layer& network, size_t outputs) {
  auto names = output_names(network);
  for (size_t i = names.size(); i < outputs; ++i) names.push_back(fmt::format("output_{}", i + 1));
  return names;
}

void check_outputs(Model& model, const StepData& data, const std::vector<Tensor>& y_pred) {
  TraceResults& traced = trace_results(model);
  if (traced.outputs.empty()) {
    traced.output_names = output_names(*model.network(), y_pred.size());
    traced.outputs = output_settings(*model.impl().compiled.args, traced.output_names);
  }
  const bool compares = std::ranges::any_of(traced.outputs, [](const OutputSettings& output) {
    return output.loss.defined() || !output.metrics.empty() || !output.weighted_metrics.empty();
  });
  if (compares && data.y.size() != y_pred.size())
    throw InvalidArgument(fmt::format("model \"{}\": it has {} outputs, but {} targets were given.",
                                      model.name(), y_pred.size(), data.y.size()));
  if (traced.metrics.empty() && data.y.size() == y_pred.size()) make_metrics(traced, data, y_pred);
}

// A mean over batches, as in Keras on TensorFlow; on JAX a smaller last batch has less weight.
void track_output_loss(const TraceResults& traced, size_t output, const Tensor& loss) {
  const distribution::SliceScope summed({});  // the loss is that of all ranks
  if (output < traced.by_output.size() && traced.by_output[output].loss)
    traced.by_output[output].loss->update_state(loss, {});
}

static void track_loss(const TraceResults& traced, const StepData& data, const Tensor& loss) {
  const Tensor rows = batch_size(data);
  const distribution::SliceScope summed({});
  traced.metrics.at(0)->update_state(loss, {}, rows);
}

void update_metrics(const TraceResults& traced, const StepData& data,
                    const std::vector<Tensor>& y_pred, const Tensor& loss) {
  track_loss(traced, data, loss);
  for (size_t i = 0; i < traced.by_output.size(); ++i) {
    const bool wants_digits = is_half(y_pred[i].dtype());
    const Tensor output = wants_digits ? ops::cast(y_pred[i], DType::float32) : y_pred[i];
    if (wants_digits) output.set_mask(y_pred[i].mask());
    for (const auto& metric : traced.by_output[i].plain) metric->update_state(data.y[i], output);
    for (const auto& metric : traced.by_output[i].weighted)
      metric->update_state(data.y[i], output, data.sample_weight[i]);
  }
}

void keep_logs(TraceResults& traced, Phase phase, const StepLogs& logs) {
  auto& kept = traced.step_logs[phase];
  for (const auto& [name, value] : logs) {
    if (std::ranges::find(kept, name, &TraceResults::StepLog::name) == kept.end())
      kept.push_back({name, Variable(Array(DType::float32, value.shape()), name, false)});
    const auto& log = *std::ranges::find(kept, name, &TraceResults::StepLog::name);
    log.latest.assign(ops::mean_over_ranks(ops::cast(value, DType::float32)));
  }
}

void reset_metrics(const Model& model) {
  for (const auto& metric : model.metrics()) metric->reset_state();
}

namespace {

std::vector<Variable> variables_of(const std::vector<std::shared_ptr<Metric>>& metrics) {
  std::vector<Variable> all;
  for (const auto& metric : metrics)
    for (const Variable& variable : metric->variables()) all.push_back(variable);
  return all;
}
exec::States states_of(const std::vector<Variable>& variables) {
  exec::States states;
  for (const Variable& variable : variables) states.push_back(variable.state());
  return states;
}

}  // namespace

std::vector<Array> metric_states(const Model& model) {
  const std::vector<Variable> variables = variables_of(model.metrics());
  const exec::HostValues here(states_of(variables));  // one copy
  std::vector<Array> values;
  for (const Variable& variable : variables) values.push_back(variable.array());
  return values;
}

void set_metric_states(const Model& model, const std::vector<Array>& values) {
  const std::vector<Variable> variables = variables_of(model.metrics());
  for (size_t i = 0; i < variables.size(); ++i) variables[i].set(values.at(i));
}

namespace {

using Values = std::vector<std::pair<std::string, double>>;

// A metric with several values has a line for each; a single value has the plain name.
void add(Values& values, const std::string& name, const Array& result) {
  for (int64_t i = 0; i < result.size(); ++i)
    values.emplace_back(result.size() == 1 ? name : fmt::format("{}/{}", name, i), result.at(i));
}

// The values returned by a user-defined train_step.
Values read_returned(const std::vector<TraceResults::StepLog>& logs) {
  exec::States states;
  for (const auto& log : logs) states.push_back(log.latest.state());
  const exec::HostValues here(states);
  Values values;
  for (const auto& [name, variable] : logs) add(values, name, variable.array());
  return values;
}

Values read_results(const TraceResults& traced,
                    const std::vector<std::shared_ptr<Metric>>& metrics) {
  const exec::HostValues here(states_of(variables_of(metrics)));
  const bool compiled = metrics == traced.metrics;
  Values values;
  for (size_t i = 0; i < metrics.size(); ++i)
    add(values, compiled ? traced.metric_names[i] : metrics[i]->name(),
        metrics[i]->result().array());
  return values;
}

}  // namespace

// A few numbers: fetched and computed on the host, on whatever device the step runs.
Logs read_metrics(Model& model, Phase phase) {
  const device::Scope host(device::host_device());
  const TraceResults& traced = trace_results(model);
  const auto returned = traced.step_logs.find(phase);
  Values values = returned != traced.step_logs.end() && !returned->second.empty()
                      ? read_returned(returned->second)
                      : read_results(traced, model.metrics());
  std::sort(values.begin(), values.end());  // Keras's order
  Logs logs;
  for (const auto& [name, value] : values) logs.set(name, value);
  return logs;
}

}  // namespace stoker::nn
