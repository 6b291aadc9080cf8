#include <fmt/format.h>

#include <unordered_map>

#include "nn/config/args.h"
#include "nn/config/array_config.h"
#include "nn/config/own_classes.h"
#include "nn/operations/operation.h"
#include "nn/saving/call_arguments.h"
#include "nn/saving/network_config.h"
#include "nn/sequential.h"
#include "stoker/layers/rnn.h"

namespace stoker::nn {
namespace {

Config input_object(const Tensor& input) {
  return keras_object("keras.layers", "InputLayer",
                      Config::map({{"batch_shape", shape_config(input.shape())},
                                   {"dtype", keras_dtype(input)},
                                   {"sparse", false},
                                   {"ragged", false},
                                   {"name", as_spec(input)->node->name},
                                   {"optional", false}}));
}

bool is_functional(const LayerRef& layer) {
  return dynamic_cast<const FunctionalNetwork*>(layer.ptr().get()) &&
         layer->class_name() == "Functional";
}

// Identifies calls as Keras does: by layer and index among its calls in this model.
class Histories {
 public:
  explicit Histories(const FunctionalNetwork& network) {
    for (const auto& calls : network.operations())
      for (size_t i = 0; i < calls.size(); ++i) numbers_[calls[i].get()] = i;
  }
  TensorOrigin operator()(const SpecTensor& tensor) const {
    if (tensor.is_mask)
      throw Unsupported(
          fmt::format("the mask of layer \"{}\" is an argument of a call.", tensor.node->name),
          "model files cannot store that; masks attached to tensors can be saved.");
    return {tensor.node->name, numbers_.at(tensor.node.get()), tensor.index};
  }
  // In a model's inputs and outputs Keras counts the calls of a nested model from 1.
  Config of_end(const Tensor& tensor) const {
    TensorOrigin origin = (*this)(*as_spec(tensor));
    origin.node += is_functional(as_spec(tensor)->node->layer);
    return Config::List{origin.layer, static_cast<int64_t>(origin.node),
                        static_cast<int64_t>(origin.tensor)};
  }

 private:
  std::unordered_map<const CallNode*, size_t> numbers_;
};

// A structure whose leaves are replaced by the tensors' histories.
Config with_histories(const Config& structure, const std::vector<Tensor>& tensors,
                      const Histories& histories) {
  if (structure.is_int())
    return histories.of_end(tensors.at(static_cast<size_t>(structure.as_int())));
  if (structure.is_list()) {
    Config::List list;
    for (const Config& item : structure.as_list())
      list.push_back(with_histories(item, tensors, histories));
    return list;
  }
  Config map = Config::map();
  for (const auto& [key, item] : structure.as_map())
    map[key] = with_histories(item, tensors, histories);
  return map;
}

Config operation_object(const FunctionalNetwork::Calls& calls, const FunctionalNetwork& network,
                        const Histories& histories) {
  Config object;
  Config::List nodes;
  if (calls[0]->layer.ptr()) {
    object = serialize_layer(*calls[0]->layer);
    for (const auto& call : calls) nodes.push_back(write_call_arguments(form_of(*call), histories));
  } else {
    for (const Tensor& input : network.inputs())
      if (as_spec(input)->node == calls[0]) object = input_object(input);
  }
  object["name"] = calls[0]->name;
  object["inbound_nodes"] = nodes;
  return object;
}

Config functional_config(const FunctionalNetwork& network) {
  const Histories histories(network);
  Config::List layers;
  for (const auto& calls : network.operations())
    layers.push_back(operation_object(calls, network, histories));
  const auto& [inputs, outputs] = network.structure();
  return Config::map({{"name", network.name()},
                      {"trainable", network.trainable()},
                      {"layers", layers},
                      {"input_layers", with_histories(inputs, network.inputs(), histories)},
                      {"output_layers", with_histories(outputs, network.outputs(), histories)}});
}

Config sequential_config(Config config, const Tensor* input, const std::vector<LayerRef>& layers) {
  Config::List objects;
  if (input) objects.push_back(input_object(*input));
  for (const LayerRef& layer : layers) objects.push_back(serialize_layer(*layer));
  config["layers"] = objects;
  if (input) config["build_input_shape"] = shape_config(input->shape());
  return config;
}

// What Keras needs to build a layer before it is called; for layers with something to build.
Config build_config(const Layer& layer) {
  const auto& shapes = layer.build_shapes();
  if (layer.class_name() == "Functional") return Config::map({{"input_shape", Config()}});
  if (const auto* network = dynamic_cast<const FunctionalNetwork*>(&layer))
    return Config::map({{"input_shape", shape_config(network->inputs()[0].shape())}});
  if (dynamic_cast<const OperationLayer*>(&layer)) return {};
  if (shapes.empty() || (shapes.size() == 1 && layer.weights().empty())) return {};
  if (dynamic_cast<const layers::RnnCell*>(&layer))
    return Config::map({{"input_shape", shape_config(shapes[0])}});
  if (layer.call_signature().inputs.size() > 1) return {};
  Config::List list;
  for (const Shape& shape : shapes) list.push_back(shape_config(shape));
  return Config::map({{"input_shape", list.size() == 1 ? list[0] : Config(list)}});
}

bool is_network(const Layer& layer) {
  return dynamic_cast<const FunctionalNetwork*>(&layer) ||
         dynamic_cast<const StackNetwork*>(&layer);
}

Config bare_object(const Layer& layer) {
  if (const auto* operation = dynamic_cast<const OperationLayer*>(&layer)) {
    Config object = keras_object(operation->module(), layer.class_name(), layer.get_config());
    object["registered_name"] = layer.class_name();
    return object;
  }
  if (!is_network(layer)) return serialize_object<LayerRef>("keras.layers", layer);
  if (layer.class_name() != "Functional")
    return keras_object("keras", layer.class_name(), layer.get_config());
  Config object =
      keras_object("keras.src.models.functional", layer.class_name(), layer.get_config());
  object["registered_name"] = layer.class_name();
  return object;
}

}  // namespace

Config FunctionalNetwork::get_config() const {
  if (class_name() == "Sequential")
    return sequential_config(Layer::get_config(), &inputs_[0], sublayers());
  return functional_config(*this);
}

Config StackNetwork::get_config() const {
  return sequential_config(Layer::get_config(), nullptr, layers_);
}

Config serialize_layer(const Layer& layer) {
  Config object = bare_object(layer);
  if (!layer.file_extras.is_null()) {
    for (const auto& [key, value] : layer.file_extras.as_map()) object[key] = value;
    return object;
  }
  if (const Config build = build_config(layer); !build.is_null()) object["build_config"] = build;
  if (is_network(layer)) object["compile_config"] = Config::map();
  return object;
}

}  // namespace stoker::nn
