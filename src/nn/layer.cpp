#include "stoker/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "graph/autocast.h"
#include "nn/config/registry.h"
#include "nn/random_seed.h"
#include "nn/training/step_losses.h"
#include "nn/unique_name.h"
#include "stoker/ops/elementwise.h"
#include "stoker/variable_factory.h"

namespace stoker {
namespace {

// Labels and indices stay integers.
std::vector<Tensor> floats_as(DType dtype, std::vector<Tensor> tensors) {
  for (Tensor& tensor : tensors)
    if (tensor.defined() && is_floating(tensor.dtype()) && tensor.dtype() != dtype) {
      const Tensor mask = tensor.mask();
      tensor = ops::cast(tensor, dtype);
      tensor.set_mask(mask);
    }
  return tensors;
}

std::vector<Tensor> carried_masks(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> masks;
  for (const Tensor& input : inputs) masks.push_back(input.mask());
  return masks;
}

// Keras passes the masks attached to the inputs if the call has only one tensor argument; otherwise
// (initial_state) it looks for parameters named "<input>_mask".
bool takes_carried_masks(const Layer::CallSignature& signature, const CallArgs& args,
                         size_t inputs) {
  const auto given = [](const auto& named) { return !named.second.empty(); };
  const bool separate = signature.inputs.size() > 1 && inputs > 1;
  if (!separate && std::ranges::none_of(args.tensors, given)) return true;
  return std::ranges::find(signature.others, signature.inputs[0] + "_mask") !=
         signature.others.end();
}

// Before sizes are multiplied: a file can contain absurdly large ones.
void check_size(const std::string& name, const Shape& shape) {
  constexpr int64_t most = int64_t{1} << 46;
  int64_t size = 1;
  for (int64_t dim : shape) {
    if (dim < 0 || (dim > 0 && size > most / dim))
      throw InvalidArgument(
          fmt::format("the weight \"{}\" cannot have the shape {}.", name, to_string(shape)));
    size *= dim;
  }
}

}  // namespace

Tensor CallArgs::tensor(const std::string& name) const {
  const auto found = tensors.find(name);
  return found == tensors.end() || found->second.empty() ? Tensor() : found->second[0];
}

bool CallArgs::flag(const std::string& name, bool otherwise) const {
  const Config* value = options.find(name);
  return value && !value->is_null() ? value->as_bool() : otherwise;
}

Layer::Layer(std::string class_name, std::string name, std::source_location created)
    : class_name_(std::move(class_name)),
      name_(name.empty() ? nn::unique_name(class_name_) : std::move(name)),
      created_(created),
      policy_(stoker::dtype_policy()) {}
Layer::~Layer() = default;

void Layer::build(const Shape&) {}
Layer::CallSignature Layer::call_signature() const { return {}; }
void Layer::build_all(const std::vector<Shape>& inputs) {
  if (!inputs.empty()) build(inputs[0]);
}
Tensor Layer::call(const Tensor&, const CallArgs&) {
  throw Unsupported(fmt::format("[{}] has no call().", class_name_),
                    "override call(const Tensor&, const CallArgs&).");
}
std::vector<Tensor> Layer::call_all(const std::vector<Tensor>& inputs, const CallArgs& args) {
  if (inputs.size() != 1)
    throw InvalidArgument(fmt::format("[{}] takes one input, got {}.",
                                      nn::to_snake_case(class_name_), inputs.size()));
  return {call(inputs[0], args)};
}
std::vector<Tensor> Layer::compute_mask(const std::vector<Tensor>&,
                                        const std::vector<Tensor>& masks) {
  return masks;
}
std::vector<Layer::Sublayer> Layer::named_sublayers() const { return {}; }
std::vector<LayerRef> Layer::sublayers() const {
  std::vector<LayerRef> layers;
  for (const Sublayer& sublayer : named_sublayers()) layers.push_back(sublayer.layer);
  return layers;
}
Config Layer::get_config() const {
  return Config::map({{"name", name_},
                      {"trainable", trainable_},
                      {"dtype", nn::keras_object("keras", "DTypePolicy",
                                                 Config::map({{"name", policy_.name()}}))}});
}

std::string Layer::where() const {
  return fmt::format("layer \"{}\", created {}", graph::PathScope::current(), to_string(created_));
}

void Layer::set_dtype_policy(const DTypePolicy& policy) {
  if (!weights_.empty() && policy.variable_dtype() != variable_dtype())
    throw InvalidArgument(
        fmt::format("layer \"{}\" has weights of {} and cannot take the policy \"{}\".", name_,
                    name_of(variable_dtype()), policy.name()),
        "set the policy before the layer is built.");
  policy_ = policy.defined() ? policy : stoker::dtype_policy();
}

void Layer::build_once(const std::vector<Shape>& inputs) {
  if (built_) return;
  build_all(inputs);
  if (held_ || !trainable_) hold_weights();  // of sublayers created by build
  build_shapes_ = inputs;
  for (Shape& shape : build_shapes_)
    if (shape.rank() > 0) shape[0] = unknown;
  built_ = true;
}

std::vector<Tensor> Layer::apply(const std::vector<Tensor>& inputs, const CallArgs& args) {
  const graph::PathScope path(name_);
  try {
    std::vector<Shape> shapes;
    for (const Tensor& input : inputs) shapes.push_back(input.shape());
    build_once(shapes);
    const bool casts = autocast && is_floating(compute_dtype());
    const graph::AutocastScope scope(casts ? std::optional(compute_dtype()) : std::nullopt);
    CallArgs call_args = resolved(args, inputs);
    if (casts)
      for (auto& [name, tensors] : call_args.tensors) tensors = floats_as(compute_dtype(), tensors);
    const auto outputs = call_all(casts ? floats_as(compute_dtype(), inputs) : inputs, call_args);
    finish_call(inputs, args.tensors.contains("mask") ? call_args.masks : carried_masks(inputs),
                outputs);
    return outputs;
  } catch (Error& error) {
    if (error.where().empty()) error.add_where(where());
    throw;
  }
}

CallArgs Layer::resolved(const CallArgs& args, const std::vector<Tensor>& inputs) const {
  CallArgs call = args;
  call.masks.clear();  // those of the outer layer, if it passed its arguments on
  if (const auto given = args.tensors.find("mask"); given != args.tensors.end())
    call.masks = given->second;
  else if (takes_carried_masks(call_signature(), args, inputs.size()))
    call.masks = carried_masks(inputs);
  call.masks.resize(inputs.size());
  return call;
}

void Layer::finish_call(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks,
                        const std::vector<Tensor>& outputs) {
  if (activity_regularizer.defined())
    for (const Tensor& output : outputs) {
      const Tensor penalty = activity_regularizer(output);
      add_loss(output.shape().rank() > 0 ? penalty / static_cast<double>(output.shape()[0])
                                         : penalty);
    }
  const auto masked = [](const Tensor& t) { return t.mask().defined(); };
  if (!supports_masking || std::ranges::all_of(outputs, masked)) return;
  const auto found = compute_mask(inputs, masks);
  for (size_t i = 0; i < std::min(found.size(), outputs.size()); ++i)
    if (found[i].defined() && !masked(outputs[i])) outputs[i].set_mask(found[i]);
}

std::string Layer::path_of(const std::string& variable) const {
  const std::string& path = graph::PathScope::current();
  return (path.empty() ? name_ : path) + "/" + variable;
}

Variable Layer::add_weight(const std::string& name, WeightArgs args) {
  check_size(name, args.shape);
  const uint64_t seed = nn::next_seed();
  const DType dtype = args.dtype.value_or(variable_dtype());
  auto variable = make_variable(
      {dtype, args.shape}, path_of(name), args.trainable && trainable_ && !held_,
      [init = args.initializer, shape = args.shape, dtype, seed] {
        return init(shape, dtype, seed);
      },
      VariableUse::parameter);
  variable.state()->autocast = args.autocast && is_floating(dtype);
  if (args.constraint.defined()) variable.state()->constraint = args.constraint;
  weights_.push_back({variable, args.regularizer, args.trainable});
  return variable;
}

void Layer::share_weight(const Variable& weight) { weights_.push_back({weight, {}, true}); }

Variable Layer::add_state(const std::string& name, const Array& initial) {
  return hidden_states_.emplace_back(initial, path_of(name), false);
}

void Layer::add_loss(const Tensor& loss) {
  if (auto* step = nn::StepLosses::current()) step->losses.push_back(loss);
}

void Layer::set_trainable(bool trainable) {
  trainable_ = trainable;
  held_ = false;
  for (auto& weight : weights_) weight.variable.set_trainable(trainable && weight.trainable);
  for (const LayerRef& layer : sublayers()) layer->set_trainable(trainable);
}

void Layer::freeze() {
  trainable_ = false;
  hold_weights();
}

void Layer::hold_weights() {
  held_ = true;
  for (auto& weight : weights_) weight.variable.set_trainable(false);
  for (const LayerRef& layer : sublayers()) layer->hold_weights();
}

std::vector<Variable> Layer::own_weights() const {
  std::vector<Variable> found;
  for (bool trainable : {true, false})
    for (const auto& weight : weights_)
      if (weight.trainable == trainable) found.push_back(weight.variable);
  return found;
}

std::vector<Variable> Layer::weights() const {
  std::vector<Variable> found = own_weights();
  std::set<const graph::State*> seen;  // a layer that occurs twice counts once
  for (const Variable& own : found) seen.insert(own.state().get());
  for (const LayerRef& layer : sublayers())
    for (const Variable& inside : layer->weights())
      if (seen.insert(inside.state().get()).second) found.push_back(inside);
  return found;
}

std::vector<Variable> Layer::trainable_variables() const {
  auto found = weights();
  std::erase_if(found, [](const Variable& v) { return !v.trainable(); });
  return found;
}

std::vector<Variable> Layer::non_trainable_variables() const {
  auto found = weights();
  std::erase_if(found, [](const Variable& v) { return v.trainable(); });
  return found;
}

int64_t Layer::count_params() const {
  const auto all = weights();
  return std::accumulate(all.begin(), all.end(), int64_t{0},
                         [](int64_t n, const Variable& v) { return n + v.shape().size(); });
}

void Layer::set_weights(const std::vector<Array>& values) {
  const auto all = weights();
  if (all.size() != values.size())
    throw InvalidArgument(
        fmt::format("layer \"{}\" has {} weights, got {} arrays.", name_, all.size(),
                    values.size()),
        built_ ? "" : "the layer is not built: call it or give the model its input shape first.");
  for (size_t i = 0; i < all.size(); ++i) all[i].set(values[i]);
}

std::vector<Array> Layer::get_weights() const {
  std::vector<Array> values;
  for (const Variable& v : weights()) values.push_back(v.array());
  return values;
}

std::vector<Tensor> Layer::losses() const {
  std::vector<Tensor> found;
  for (const auto& weight : weights_)
    if (weight.regularizer.defined() && weight.variable.trainable())
      found.push_back(weight.regularizer(weight.variable));
  for (const LayerRef& layer : sublayers()) {
    const auto inside = layer->losses();
    found.insert(found.end(), inside.begin(), inside.end());
  }
  return found;
}

std::vector<Variable> Layer::hidden_states() const {
  auto found = hidden_states_;
  for (const LayerRef& layer : sublayers()) {
    const auto inside = layer->hidden_states();
    found.insert(found.end(), inside.begin(), inside.end());
  }
  return found;
}

LayerRef make_layer_from_config(const std::string& class_name, const Config& config) {
  return nn::Registry<LayerRef>::instance().make(nn::make_object(class_name, config), "layer");
}
std::vector<std::string> layer_class_names() {
  return nn::Registry<LayerRef>::instance().class_names();
}

namespace nn {

std::string unique_name(const std::string& class_name) {
  static std::mutex guard;
  static std::map<std::string, int> counts;
  const std::string base = to_snake_case(class_name);
  const std::lock_guard lock(guard);
  const int n = counts[base]++;
  return n == 0 ? base : fmt::format("{}_{}", base, n);
}

namespace {
thread_local StepLosses* innermost = nullptr;
}
StepLosses::StepLosses() : outer_(innermost) { innermost = this; }
StepLosses::~StepLosses() { innermost = outer_; }
StepLosses* StepLosses::current() { return innermost; }
}  // namespace nn

}  // namespace stoker
