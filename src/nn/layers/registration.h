#pragma once
#include "nn/config/registry.h"
#include "stoker/layer.h"

namespace stoker::nn {

// The arguments that Keras's base class takes, for all layers alike.
struct CommonArgs {
  CommonArgs(const Config& config, const std::string& class_name);
  void apply(Layer& layer) const;
  Config others;  // the layer's own

 private:
  bool trainable_ = true;
  std::optional<Shape> batch_shape_;  // Keras 2's first layers say what they take
};

// Makes a layer reachable by its Keras class name: `const RegisterLayer<DenseArgs> dense{"Dense",
// Dense};`
template <class Args>
struct RegisterLayer {
  RegisterLayer(const std::string& class_name,
                LayerRef (*make)(const Args&, std::source_location)) {
    Registrar<LayerRef>(class_name, [class_name, make](const Config& config) {
      const CommonArgs common(config, class_name);
      LayerRef layer = make(read_args<Args>(common.others, class_name), std::source_location{});
      common.apply(*layer);
      return layer;
    });
  }
};

}  // namespace stoker::nn
