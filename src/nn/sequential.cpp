#include "nn/sequential.h"

#include "nn/layer_names.h"

namespace stoker::nn {

StackNetwork::StackNetwork(std::vector<LayerRef> layers, std::string name,
                           std::source_location created)
    : Layer("Sequential", std::move(name), created), layers_(std::move(layers)) {
  LayerNames names(Layer::name());
  for (const LayerRef& layer : layers_) names.add(layer->name(), layer.ptr().get());
  autocast = false;  // the layers cast themselves
}

std::vector<Tensor> StackNetwork::call_all(const std::vector<Tensor>& inputs,
                                           const CallArgs& args) {
  std::vector<Tensor> values = inputs;
  for (size_t i = 0; i < values.size(); ++i)
    if (args.mask(i).defined()) values[i].set_mask(args.mask(i));
  output_shapes_.clear();
  for (const LayerRef& layer : layers_) {
    values = layer->apply(values, {.training = args.training});
    Shape shape = values.empty() ? Shape() : values[0].shape();
    if (shape.rank() > 0) shape[0] = unknown;
    output_shapes_.push_back(std::move(shape));
  }
  return values;
}

std::shared_ptr<Layer> make_sequential(const std::vector<Sequential::Item>& items,
                                       const std::string& name, std::source_location created) {
  Tensor input;
  std::vector<LayerRef> layers;
  for (const auto& item : items) {
    if (item.layer.ptr()) {
      layers.push_back(item.layer);
    } else if (as_spec(item.input) && layers.empty() && !input.defined()) {
      input = item.input;
    } else {
      throw InvalidArgument(
          "an Input() must be the first item of a Sequential model, and there can be one only.");
    }
  }
  if (!input.defined() && !layers.empty() && layers[0]->input_shape.rank() > 0)
    input = Input({.shape = layers[0]->input_shape}, created);
  if (!input.defined() || layers.empty()) return make_layer<StackNetwork>(layers, name, created);
  Tensor output = input;
  for (const LayerRef& layer : layers) output = layer(output);
  return make_layer<FunctionalNetwork>("Sequential", std::vector{input}, std::vector{output}, name,
                                       created);
}

}  // namespace stoker::nn
