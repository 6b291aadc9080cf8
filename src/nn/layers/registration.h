#pragma once
#include "nn/config/registry.h"
#include "stoker/layer.h"

namespace stoker::nn {

// The arguments of Keras's base class, common to all layers.
struct CommonArgs {
  CommonArgs(const Config& config, const std::string& class_name);
  void apply(Layer& layer) const;
  Config others;  // the layer's own

 private:
  bool trainable_ = true;
  std::optional<Shape> batch_shape_;  // Keras 2's first layers have an input shape
};

// Registers a layer under its Keras class name: `const RegisterLayer<DenseArgs> dense{"Dense",
// Dense};`
template <class Args>
struct RegisterLayer {
  RegisterLayer(const std::string& class_name, LayerRef (*make)(const Args&, std::source_location),
                std::source_location place = std::source_location::current()) {
    const auto from_config = [class_name, make](const Config& config) {
      const CommonArgs common(config, class_name);
      LayerRef layer = make(read_args<Args>(common.others, class_name), std::source_location{});
      common.apply(*layer);
      return layer;
    };
    Registrar<LayerRef>(class_name, from_config, {}, place);
  }
};

}  // namespace stoker::nn
