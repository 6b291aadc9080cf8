#include "nn/functional.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "graph/trace.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker {
namespace nn {
namespace {

constexpr int64_t trial_batches[] = {2, 3};

// Unknown sizes beside the batch (an image's height) get a number large enough for any window.
TensorType with_batch(TensorType type, int64_t batch) {
  for (int i = 0; i < type.shape.rank(); ++i)
    if (type.shape[i] == unknown) type.shape[i] = i == 0 ? batch : 512 * batch;
  return type;
}

// Runs the layer in a trace that is thrown away, to see what comes out.
std::vector<TensorType> trial(const LayerRef& layer, const std::vector<Tensor>& inputs,
                              const CallArgs& args, int64_t batch) {
  graph::Trace trace;
  const graph::EmitterScope scope(trace);
  std::vector<Tensor> arguments;
  for (const Tensor& input : inputs)
    arguments.push_back(trace.input(with_batch(input.type(), batch)));
  std::vector<TensorType> types;
  for (const Tensor& out : layer->apply(arguments, args)) types.push_back(out.type());
  return types;
}

// A dimension that follows the batch is unknown: two trials with different batches tell.
std::vector<TensorType> output_types(const LayerRef& layer, const std::vector<Tensor>& inputs,
                                     const CallArgs& args) {
  auto types = trial(layer, inputs, args, trial_batches[0]);
  const auto other = trial(layer, inputs, args, trial_batches[1]);
  for (size_t i = 0; i < types.size(); ++i)
    for (int d = 0; d < types[i].shape.rank(); ++d)
      if (types[i].shape[d] != other[i].shape[d]) types[i].shape[d] = unknown;
  return types;
}

std::string shapes_of(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors)
    text += (text.empty() ? "" : ", ") + to_string(tensor.shape());
  return text;
}

int64_t values_per_sample(const Shape& shape) {
  const Shape sample = shape.rank() > 0 ? shape.drop_front() : shape;
  return sample.is_known() ? sample.size() : unknown;
}

std::string hint_for_input(const Shape& wanted, const Shape& given) {
  return values_per_sample(wanted) == values_per_sample(given)
             ? "a sample has as many values: reshape the data, or add Flatten or Reshape first."
             : "give data of that shape, or change the model's Input.";
}

}  // namespace

Array SpecTensor::array() const {
  throw InvalidArgument("an Input() has no value: it only describes a model.",
                        "make a Model of it and call predict or fit.");
}

const SpecTensor* as_spec(const Tensor& tensor) {
  return tensor.defined() ? dynamic_cast<const SpecTensor*>(&tensor.impl()) : nullptr;
}

std::vector<Tensor> describe_call(const LayerRef& layer, const std::vector<Tensor>& inputs,
                                  const CallArgs& args) {
  auto node = std::make_shared<CallNode>(CallNode{layer, layer->name(), inputs, args});
  std::vector<TensorType> types;
  try {
    const graph::PathScope path(layer->name());
    std::vector<Shape> shapes;
    for (const Tensor& input : inputs) shapes.push_back(input.shape());
    layer->build_once(shapes);
    types = output_types(layer, inputs, args);
  } catch (Error& error) {
    if (error.where().empty())
      error.add_where(
          fmt::format("layer \"{}\", created {}", layer->name(), to_string(layer->created())));
    error.add_where(fmt::format("the call on {} (None stands for the batch, here tried with {})",
                                shapes_of(inputs), trial_batches[0]));
    throw;
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < types.size(); ++i)
    outputs.emplace_back(std::make_shared<SpecTensor>(types[i], node, i));
  return outputs;
}

FunctionalNetwork::FunctionalNetwork(std::string class_name, std::vector<Tensor> inputs,
                                     std::vector<Tensor> outputs, std::string name,
                                     std::source_location created)
    : Layer(std::move(class_name), std::move(name), created),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {
  if (inputs_.empty() || outputs_.empty())
    throw InvalidArgument("a model needs at least one input and one output.");
  for (const auto* list : {&inputs_, &outputs_})
    for (const Tensor& tensor : *list)
      if (!as_spec(tensor))
        throw InvalidArgument(
            "a model's inputs and outputs must come from Input() and layers called on it.");
  std::vector<const CallNode*> open;
  for (const Tensor& input : inputs_) visit(as_spec(input)->node, open);
  for (const Tensor& output : outputs_) visit(as_spec(output)->node, open);
  autocast = false;  // an Input says what dtype it takes, and the layers cast for themselves
  build_once({});
}

void FunctionalNetwork::visit(const std::shared_ptr<CallNode>& node,
                              std::vector<const CallNode*>& open) {
  if (std::find(calls_.begin(), calls_.end(), node) != calls_.end()) return;
  for (const Tensor& input : node->inputs) visit(as_spec(input)->node, open);
  const bool is_input = !node->layer.ptr();
  const bool known = std::any_of(inputs_.begin(), inputs_.end(),
                                 [&](const Tensor& t) { return as_spec(t)->node == node; });
  if (is_input && !known)
    throw InvalidArgument(fmt::format(
        "the outputs depend on Input \"{}\", which is not among the model's inputs.", node->name));
  calls_.push_back(node);
  if (!is_input && std::find(layers_.begin(), layers_.end(), node->layer) == layers_.end())
    layers_.push_back(node->layer);
}

void FunctionalNetwork::build_all(const std::vector<Shape>&) {}

std::vector<Tensor> FunctionalNetwork::call_all(const std::vector<Tensor>& inputs,
                                                const CallArgs& args) {
  if (inputs.size() != inputs_.size())
    throw InvalidArgument(fmt::format("model \"{}\" takes {} inputs, got {}.", name(),
                                      inputs_.size(), inputs.size()));
  std::unordered_map<const CallNode*, std::vector<Tensor>> done;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& wanted = inputs_[i].type();
    const Shape& given = inputs[i].shape();
    bool fits = given.rank() == wanted.shape.rank();
    for (int d = 0; fits && d < given.rank(); ++d)
      fits = wanted.shape[d] == unknown || wanted.shape[d] == given[d];
    // Keras lets (batch,) stand for (batch, 1).
    const bool column =
        !fits && wanted.shape.rank() == given.rank() + 1 && wanted.shape.back() == 1;
    if (!fits && !column)
      throw InvalidArgument(fmt::format("model \"{}\" expects input {} of shape {}, got {}.",
                                        name(), i, to_string(wanted.shape), to_string(given)),
                            hint_for_input(wanted.shape, given));
    done[as_spec(inputs_[i])->node.get()] = {
        ops::cast(column ? ops::expand_dims(inputs[i], -1) : inputs[i], wanted.dtype)};
  }
  for (const auto& call : calls_) {
    if (!call->layer.ptr()) continue;
    std::vector<Tensor> arguments;
    for (const Tensor& input : call->inputs)
      arguments.push_back(done[as_spec(input)->node.get()][as_spec(input)->index]);
    done[call.get()] =
        call->layer->apply(arguments, {.training = args.training || call->args.training});
  }
  std::vector<Tensor> results;
  for (const Tensor& output : outputs_)
    results.push_back(done[as_spec(output)->node.get()][as_spec(output)->index]);
  return results;
}

}  // namespace nn

std::vector<Tensor> LayerRef::call_all(const std::vector<Tensor>& inputs,
                                       const CallArgs& args) const {
  const bool describing = std::any_of(inputs.begin(), inputs.end(),
                                      [](const Tensor& t) { return nn::as_spec(t) != nullptr; });
  return describing ? nn::describe_call(*this, inputs, args) : layer_->apply(inputs, args);
}

Tensor LayerRef::operator()(const std::vector<Tensor>& inputs, const CallArgs& args) const {
  const auto outputs = call_all(inputs, args);
  if (outputs.size() != 1)
    throw InvalidArgument(
        fmt::format("layer \"{}\" has {} outputs.", layer_->name(), outputs.size()),
        "use call_all.");
  return outputs[0];
}
Tensor LayerRef::operator()(const Tensor& input, const CallArgs& args) const {
  return (*this)(std::vector<Tensor>{input}, args);
}

Tensor Input(const InputArgs& args, std::source_location) {
  static int made = 0;
  auto node = std::make_shared<nn::CallNode>();
  node->name = args.name.empty() ? fmt::format("input_{}", ++made) : args.name;
  return Tensor(std::make_shared<nn::SpecTensor>(
      TensorType{args.dtype, args.shape.with_front(unknown)}, node, 0));
}

}  // namespace stoker
