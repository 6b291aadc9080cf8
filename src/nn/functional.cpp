#include "nn/functional.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <unordered_map>

#include "graph/trace.h"
#include "nn/call_graph.h"
#include "nn/config/registry.h"
#include "nn/layer_list.h"
#include "nn/layer_names.h"
#include "nn/operations/operation.h"
#include "nn/sequential.h"
#include "nn/training/inputs/input_uses.h"
#include "nn/unique_name.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker {
namespace nn {
namespace {

constexpr int64_t trial_batches[] = {2, 3};

// Unknown sizes other than the batch (an image's height) are replaced by a number large enough for
// any window.
TensorType with_batch(TensorType type, int64_t batch) {
  for (int i = 0; i < type.shape.rank(); ++i)
    if (type.shape[i] == unknown) type.shape[i] = i == 0 ? batch : 512 * batch;
  return type;
}

// Traced tensors that replace symbolic tensors while a layer's output types are inferred.
class StandIns {
 public:
  StandIns(graph::Trace& trace, int64_t batch) : trace_(trace), batch_(batch) {}
  Tensor operator()(const Tensor& tensor) {
    if (!as_spec(tensor)) return tensor;
    Tensor& stand_in = made_[tensor.id()];
    if (stand_in.defined()) return stand_in;
    stand_in = trace_.input(with_batch(tensor.type(), batch_));
    if (tensor.mask().defined())
      stand_in.set_mask(trace_.input(with_batch(tensor.mask().type(), batch_)));
    return stand_in;
  }

 private:
  graph::Trace& trace_;
  int64_t batch_;
  std::unordered_map<const graph::TensorImpl*, Tensor> made_;
};

// A call's arguments with symbolic tensors replaced.
template <class Replace>
CallArgs replaced(const CallArgs& args, Replace&& replace) {
  CallArgs made{.training = args.training, .options = args.options};
  for (const auto& [name, tensors] : args.tensors)
    for (const Tensor& tensor : tensors) made.tensors[name].push_back(replace(tensor));
  return made;
}

struct OutputType {
  TensorType type;
  std::optional<TensorType> mask;
  bool strings;
};

thread_local int trials = 0;
struct TrialScope {
  TrialScope() { ++trials; }
  ~TrialScope() { --trials; }
};

// What a user-defined class does with string ids is unknown.
bool is_own_class(const Layer& layer) {
  const bool made_of_others = dynamic_cast<const OperationLayer*>(&layer) ||
                              dynamic_cast<const FunctionalNetwork*>(&layer) ||
                              dynamic_cast<const StackNetwork*>(&layer);
  return !made_of_others && !Registry<LayerRef>::instance().contains(layer.class_name());
}

// Strings may go to layers that read them, or through layers that only move them.
void check_strings(const Layer& layer, const InputUses& uses, const std::vector<Tensor>& outputs) {
  if (is_own_class(layer) || uses.all_read_as_strings(outputs)) return;
  throw InvalidArgument(
      fmt::format("layer \"{}\" ({}) takes numbers, but its input holds strings.", layer.name(),
                  layer.class_name()),
      "put a StringLookup, TextVectorization or Hashing between them, or give the Input a dtype of "
      "numbers.");
}

// Infers the output types by running the layer in a trace that is discarded.
std::vector<OutputType> trial(const LayerRef& layer, const std::vector<Tensor>& inputs,
                              const CallArgs& args, int64_t batch) {
  const TrialScope counted;
  graph::Trace trace;
  const graph::EmitterScope scope(trace);
  StandIns stand_in(trace, batch);
  std::vector<Tensor> arguments, strings;
  for (const Tensor& input : inputs) {
    arguments.push_back(stand_in(input));
    if (keras_dtype(input) == "string") strings.push_back(arguments.back());
  }
  std::vector<InputUse> found;
  const InputUses uses(strings, found);
  const auto outputs = layer->apply(arguments, replaced(args, stand_in));
  check_strings(*layer, uses, outputs);
  std::vector<OutputType> types;
  for (const Tensor& out : outputs) {
    types.push_back({out.type(), {}, uses.are_strings(out)});
    if (out.mask().defined()) types.back().mask = out.mask().type();
  }
  return types;
}

void forget_differences(Shape& shape, const Shape& other) {
  for (int d = 0; d < shape.rank(); ++d)
    if (shape[d] != other[d]) shape[d] = unknown;
}

// A dimension that depends on the batch is unknown: two traces with different batch sizes tell.
std::vector<OutputType> output_types(const LayerRef& layer, const std::vector<Tensor>& inputs,
                                     const CallArgs& args) {
  auto types = trial(layer, inputs, args, trial_batches[0]);
  const auto other = trial(layer, inputs, args, trial_batches[1]);
  for (size_t i = 0; i < types.size(); ++i) {
    forget_differences(types[i].type.shape, other[i].type.shape);
    if (types[i].mask) forget_differences(types[i].mask->shape, other[i].mask->shape);
  }
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

namespace {
size_t next_call() {
  static std::atomic<size_t> calls = 0;
  return calls++;
}

// A single tensor, or a list of several.
Config numbers_of(size_t count) {
  Config::List numbers;
  for (size_t i = 0; i < count; ++i) numbers.emplace_back(static_cast<int64_t>(i));
  return count == 1 ? numbers[0] : Config(numbers);
}
}  // namespace

std::string keras_dtype(const Tensor& spec) {
  const SpecTensor* described = as_spec(spec);
  if (described && !described->node->file_dtype.empty()) return described->node->file_dtype;
  return described && described->strings ? "string" : std::string(name_of(spec.dtype()));
}

bool is_trial() { return trials > 0; }

std::vector<Tensor> describe_call(const LayerRef& layer, const std::vector<Tensor>& inputs,
                                  const CallArgs& args) {
  std::vector<OutputType> types;
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
  auto node = std::make_shared<CallNode>(CallNode{layer, layer->name(), inputs, args, next_call()});
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < types.size(); ++i) {
    auto output = std::make_shared<SpecTensor>(types[i].type, node, i);
    output->strings = types[i].strings;
    outputs.emplace_back(std::move(output));
    if (types[i].mask)
      outputs[i].set_mask(Tensor(std::make_shared<SpecTensor>(*types[i].mask, node, i, true)));
  }
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
  CallGraph graph = map_graph(inputs_, outputs_);
  calls_ = std::move(graph.calls);
  operations_ = std::move(graph.operations);
  LayerNames names(Layer::name());
  for (const Calls& calls : operations_) names.add(calls[0]->name, calls[0]->layer.ptr().get());
  structure_ = {numbers_of(inputs_.size()), numbers_of(outputs_.size())};
  autocast = false;  // an Input defines its dtype, and the layers cast themselves
  build_once({});
}

void FunctionalNetwork::build_all(const std::vector<Shape>&) {}

std::vector<Layer::Sublayer> FunctionalNetwork::named_sublayers() const {
  std::vector<LayerRef> layers;
  for (const Calls& operation : operations_)
    if (const auto& layer = operation[0]->layer;
        layer.ptr() && !dynamic_cast<const OperationLayer*>(layer.ptr().get()))
      layers.push_back(layer);
  return listed_sublayers("layers", layers);
}

Tensor FunctionalNetwork::input_value(size_t index, const Tensor& given, const Tensor& mask) const {
  const TensorType& wanted = inputs_[index].type();
  const Shape& shape = given.shape();
  bool fits = shape.rank() == wanted.shape.rank();
  // Any batch size is accepted: Keras writes the one that a model was built with.
  for (int d = 1; fits && d < shape.rank(); ++d)
    fits = wanted.shape[d] == unknown || wanted.shape[d] == shape[d];
  // Keras accepts (batch,) for (batch, 1).
  const bool column = !fits && wanted.shape.rank() == shape.rank() + 1 && wanted.shape.back() == 1;
  if (!fits && !column)
    throw InvalidArgument(fmt::format("model \"{}\" expects input {} of shape {}, got {}.", name(),
                                      index, to_string(wanted.shape), to_string(shape)),
                          hint_for_input(wanted.shape, shape));
  const Tensor value = ops::cast(column ? ops::expand_dims(given, -1) : given, wanted.dtype);
  if (mask.defined()) value.set_mask(mask);
  return value;
}

std::vector<Tensor> FunctionalNetwork::call_all(const std::vector<Tensor>& inputs,
                                                const CallArgs& args) {
  if (inputs.size() != inputs_.size())
    throw InvalidArgument(fmt::format("model \"{}\" takes {} inputs, got {}.", name(),
                                      inputs_.size(), inputs.size()));
  std::unordered_map<const CallNode*, std::vector<Tensor>> done;
  for (size_t i = 0; i < inputs.size(); ++i)
    done[as_spec(inputs_[i])->node.get()] = {input_value(i, inputs[i], args.mask(i))};
  const auto value_of = [&](const Tensor& tensor) {
    const SpecTensor* spec = as_spec(tensor);
    if (!spec) return tensor;
    const Tensor& value = done.at(spec->node.get())[spec->index];
    return spec->is_mask ? value.mask() : value;
  };
  for (const auto& call : calls_) {
    if (!call->layer.ptr()) continue;
    std::vector<Tensor> arguments;
    for (const Tensor& input : call->inputs) arguments.push_back(value_of(input));
    CallArgs call_args = replaced(call->args, value_of);
    call_args.training = args.training || call->args.training;
    done[call.get()] = call->layer->apply(arguments, call_args);
  }
  std::vector<Tensor> results;
  for (const Tensor& output : outputs_) results.push_back(value_of(output));
  return results;
}

}  // namespace nn

std::vector<Tensor> LayerRef::call_all(const std::vector<Tensor>& inputs,
                                       const CallArgs& args) const {
  const auto is_spec = [](const Tensor& t) { return nn::as_spec(t) != nullptr; };
  bool describing = std::ranges::any_of(inputs, is_spec);
  for (const auto& [name, tensors] : args.tensors)
    describing = describing || std::ranges::any_of(tensors, is_spec);
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

InputDType::InputDType(const std::string& name)
    : dtype_(name == "string" ? DType::int64 : parse_dtype(name)), strings_(name == "string") {}

std::string InputDType::name() const { return strings_ ? "string" : std::string(name_of(dtype_)); }

Tensor Input(const InputArgs& args, std::source_location) {
  auto node = std::make_shared<nn::CallNode>();
  node->name = args.name.empty() ? nn::unique_name("InputLayer") : args.name;
  auto input = std::make_shared<nn::SpecTensor>(
      TensorType{args.dtype.dtype(), args.shape.with_front(args.batch_size)}, node, 0);
  input->strings = args.dtype.strings();
  return Tensor(std::move(input));
}

}  // namespace stoker
