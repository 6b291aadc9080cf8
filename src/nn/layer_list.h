#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "nn/config/args.h"
#include "nn/saving/network_config.h"

namespace stoker::nn {

// "layers/dense", "layers/dense_1" …: Keras's paths in weight files for a list of layers.
std::vector<Layer::Sublayer> listed_sublayers(const std::string& attribute,
                                              const std::vector<LayerRef>& layers);

// An argument that is a list of layers.
template <class V>
void visit_layers(const char* key, std::vector<LayerRef>& layers, V& v) {
  Config::List written;
  for (const LayerRef& layer : layers) written.push_back(serialize_layer(*layer));
  Config objects = written;
  v(key, objects, required);
  if constexpr (std::is_same_v<V, ArgsReader>) {
    layers.clear();
    for (const Config& object : objects.as_list()) layers.push_back(deserialize_layer(object));
  }
}

}  // namespace stoker::nn
