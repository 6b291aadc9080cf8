#include "nn/network_config.h"

#include "nn/args.h"

namespace stoker::nn {

Config serialize_layer(const Layer& layer) {
  return keras_object("keras.layers", layer.class_name(), layer.get_config());
}

LayerRef deserialize_layer(const Config& object) {
  const ObjectConfig parsed = parse_object(object);
  return make_layer_from_config(parsed.class_name, parsed.config);
}

}  // namespace stoker::nn
