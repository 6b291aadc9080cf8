#pragma once
#include "nn/registry.h"
#include "stoker/layer.h"

namespace stoker::nn {

// Makes a layer reachable by its Keras class name: `const RegisterLayer<DenseArgs> dense{"Dense",
// Dense};`
template <class Args>
struct RegisterLayer {
  RegisterLayer(const std::string& class_name,
                LayerRef (*make)(const Args&, std::source_location)) {
    Registrar<LayerRef>(class_name, [class_name, make](const Config& config) {
      return make(read_args<Args>(config, class_name), std::source_location{});
    });
  }
};

}  // namespace stoker::nn
