#include "nn/layer_names.h"

#include <fmt/format.h>

#include "stoker/error.h"

namespace stoker::nn {
namespace {

std::string described(const Layer* layer) {
  if (!layer) return "an Input";
  const std::string class_name = "a layer of class " + layer->class_name();
  return layer->created().line() == 0
             ? class_name
             : fmt::format("{}, created {}", class_name, to_string(layer->created()));
}

}  // namespace

void LayerNames::add(const std::string& name, const Layer* layer) {
  const auto [place, added] = layers_.emplace(name, layer);
  if (added || (layer && place->second == layer)) return;
  throw InvalidArgument(fmt::format("two layers of model \"{}\" are named \"{}\": {}; and {}.",
                                    network_, name, described(place->second), described(layer)),
                        "layers of a model need different names.");
}

}  // namespace stoker::nn
