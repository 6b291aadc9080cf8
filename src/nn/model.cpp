#include "stoker/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/scope.h"
#include "ledger/account.h"
#include "nn/config/args.h"
#include "nn/functional.h"
#include "nn/model_impl.h"
#include "nn/model_parts.h"
#include "nn/saving/compile_config.h"
#include "nn/saving/network_config.h"
#include "nn/sequential.h"
#include "nn/training/logs/metrics_of_model.h"
#include "nn/training/step_losses.h"
#include "stoker/gradient_tape.h"
#include "stoker/ops/all_reduce.h"
#include "stoker/ops/elementwise.h"
#include "stoker/optimizers/loss_scale_optimizer.h"

namespace stoker {

Model::Model(LayerRef network) : impl_(std::make_unique<Impl>()) {
  impl_->network = std::move(network);
  if (const device::Scope* scope = device::Scope::innermost()) impl_->home = scope->device();
}

Model::Model(const FunctionalArgs& args)
    : Model(LayerRef(make_layer<nn::FunctionalNetwork>(
          "Functional", args.inputs, args.outputs, args.name, std::source_location::current()))) {}

Model::Model(const std::vector<Part>& parts, const std::string& name)
    : Model(LayerRef(make_layer<nn::ModelParts>(parts, name))) {}

Sequential::Sequential(const std::vector<Item>& items, const std::string& name,
                       std::source_location created)
    : Model(LayerRef(nn::make_sequential(items, name, created))) {}

Model Model::from_config(const Config& config) {
  if (config.find("class_name")) return Model(nn::deserialize_layer(config));
  const char* kind = config.find("input_layers") ? "Functional" : "Sequential";
  return Model(nn::deserialize_layer(nn::make_object(kind, config)));
}

Model clone_model(const Model& model) {
  return Model::from_config(nn::serialize_layer(*model.network()));
}

Model::~Model() = default;
// Compiled steps refer to their model by its address: a moved model traces again.
Model::Model(Model&& other) noexcept
    : stop_training(other.stop_training), impl_(std::move(other.impl_)) {
  impl_->steps.clear();
}
Model& Model::operator=(Model&& other) noexcept {
  stop_training = other.stop_training;
  impl_ = std::move(other.impl_);
  impl_->steps.clear();
  return *this;
}

const LayerRef& Model::network() const { return impl_->network; }
std::vector<Tensor> Model::inputs() const {
  const auto* described = dynamic_cast<const nn::FunctionalNetwork*>(network().ptr().get());
  return described ? described->inputs() : std::vector<Tensor>{};
}
std::vector<Tensor> Model::outputs() const {
  const auto* described = dynamic_cast<const nn::FunctionalNetwork*>(network().ptr().get());
  return described ? described->outputs() : std::vector<Tensor>{};
}
std::vector<std::string> Model::input_names() const { return nn::node_names(inputs()); }
std::vector<std::string> Model::output_names() const {
  return outputs().empty() ? std::vector<std::string>{} : nn::output_names(*network());
}
std::vector<LayerRef> Model::layers() const { return network()->sublayers(); }
bool Model::compiled() const { return impl_->compiled.args.has_value(); }
void Model::reset_metrics() { nn::reset_metrics(*this); }
std::string Model::account() const { return impl_->fits.last.account; }
Account Model::account_data() const {
  const nn::Session* const running = impl_->fits.running;
  if (running && running->facts_so_far) return ledger::account_of(running->facts_so_far());
  return ledger::account_of(impl_->fits.last_run);
}
const PipelineStatistics& Model::input_statistics() const { return impl_->fits.last.input; }

LayerRef Model::get_layer(const std::string& wanted) const {
  std::vector<std::string> known;
  for (const LayerRef& layer : layers()) {
    if (layer->name() == wanted) return layer;
    known.push_back(layer->name());
  }
  throw InvalidArgument(fmt::format("model \"{}\" has no layer \"{}\".", name(), wanted),
                        did_you_mean(wanted, known));
}

Optimizer& Model::optimizer() const {
  if (!compiled()) throw InvalidArgument("the model has no optimizer yet.", "call compile first.");
  return *impl_->compiled.args->optimizer;
}

int64_t Model::skipped_steps() const { return compiled() ? optimizer().skipped_steps() : 0; }

void Model::compile(const CompileArgs& args) {
  const auto check = [](const std::vector<MetricRef>& list) {
    for (const MetricRef& metric : list) metric.check();
  };
  check(args.metrics);
  check(args.weighted_metrics);
  for (const auto* lists : {&args.output_metrics, &args.output_weighted_metrics})
    for (const auto& list : *lists) check(list);
  for (const auto* by_name : {&args.metrics_by_output, &args.weighted_metrics_by_output})
    for (const auto& [output, list] : *by_name) check(list);
  impl_->compiled.args = args;
  impl_->compiled.config = nn::serialize_compile(args);
  auto& optimizer = impl_->compiled.args->optimizer;
  const bool mixed = network()->dtype_policy().name() == "mixed_float16";
  if (args.auto_scale_loss && optimizer.defined() && impl_->compiled.scales_loss.value_or(mixed) &&
      optimizer->class_name() != "LossScaleOptimizer")
    optimizer = optimizers::LossScaleOptimizer({.inner_optimizer = optimizer});
  impl_->traced = {};
  impl_->steps.clear();
}

std::vector<Tensor> Model::call(const std::vector<Tensor>& inputs, const CallArgs& args) {
  return network().call_all(inputs, args);
}

std::vector<std::shared_ptr<Metric>> Model::metrics() const {
  return nn::trace_results(*impl_).metrics;
}

Config Model::get_compile_config() const {
  Config config = impl_->compiled.config;
  // With the loss scaling that compile added, so that the state in a file matches whatever policy
  // is set when Keras loads it.
  if (compiled() && impl_->compiled.args->optimizer.defined())
    config["optimizer"] = nn::serialize_optimizer(*impl_->compiled.args->optimizer);
  return config;
}

void Model::compile_from_config(const Config& config, bool needs_loss) {
  std::vector<std::string> problems;
  const auto args = nn::deserialize_compile(config, nn::output_names(*network()), problems);
  if (!problems.empty() && needs_loss)
    throw InvalidArgument(
        fmt::format("model \"{}\" cannot be compiled:\n  {}", name(), fmt::join(problems, "\n  ")));
  nn::compile_as_stored(*this, args, config);
}

StepLogs Model::train_step(const StepData& data) {
  GradientTape tape;
  const auto y_pred = call(data.x, {.training = true});
  const Tensor loss = compute_loss(data, y_pred);
  const auto variables = trainable_variables();
  const Tensor scaled = optimizer().scale_loss(loss);
  optimizer().apply_gradients(tape.gradient(scaled, variables), variables);
  update_metrics(data, y_pred, loss);
  return {};
}

StepLogs Model::test_step(const StepData& data) {
  const auto y_pred = call(data.x, {.training = false});
  update_metrics(data, y_pred, compute_loss(data, y_pred));
  return {};
}

Tensor Model::compute_loss(const StepData& data, const std::vector<Tensor>& y_pred) {
  nn::TraceResults& traced = nn::trace_results(*this);
  nn::check_outputs(*this, data, y_pred);
  Tensor total;
  const auto add = [&](const Tensor& part) { total = total.defined() ? total + part : part; };
  for (size_t i = 0; i < data.y.size() && i < traced.outputs.size(); ++i) {
    const auto& [loss, weight, metrics, weighted_metrics] = traced.outputs[i];
    if (!loss.defined()) continue;
    traced.label_classes.resize(data.y.size());
    traced.label_classes[i] = loss->label_classes(y_pred[i].type());
    const Tensor value =
        ops::cast(loss(data.y[i], y_pred[i], data.sample_weight[i]), DType::float32);
    nn::track_output_loss(traced, i, value);
    add(weight ? value * *weight : value);
  }
  const auto add_own = [&](const Tensor& loss) {
    add(ops::mean_over_ranks(ops::cast(loss, DType::float32)));
  };
  for (const Tensor& penalty : network()->losses()) add_own(penalty);
  if (auto* step = nn::StepLosses::current())
    for (const Tensor& added : step->losses) add_own(added);
  if (!total.defined())
    throw InvalidArgument("there is no loss to train on.",
                          "give compile a loss, or call add_loss in a layer.");
  return total;
}

void Model::update_metrics(const StepData& data, const std::vector<Tensor>& y_pred,
                           const Tensor& loss) {
  nn::update_metrics(nn::trace_results(*this), data, y_pred, loss);
}

}  // namespace stoker
