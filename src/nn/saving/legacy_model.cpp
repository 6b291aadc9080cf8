#include <algorithm>
#include <set>

#include "nn/saving/legacy_settings.h"

namespace stoker::nn {
namespace {

using Names = std::set<std::string>;

bool is_object(const Config& config) { return config.find("class_name") && config.find("config"); }

bool is_any(const std::string& class_name, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(parts,
                             [&](const char* p) { return class_name.find(p) != class_name.npos; });
}

// Keys that these layers inherited in Keras 2 without using them, and shapes recorded by a first
// call.
bool is_obsolete(const std::string& class_name, const std::string& key, const Config& value) {
  static const Names shapes = {"query_shape", "key_shape", "value_shape"};
  static const Names unused = {"kernel_initializer", "kernel_regularizer", "kernel_constraint"};
  if (class_name == "MultiHeadAttention") return shapes.contains(key);
  if (is_any(class_name, {"Separable"}) && unused.contains(key)) return true;
  return key == "groups" && value == Config(1) &&
         is_any(class_name, {"Separable", "Depthwise", "Transpose"});
}

std::string modern_name(const std::string& class_name, const std::string& key) {
  return class_name == "LeakyReLU" && key == "alpha" ? "negative_slope" : key;
}

// [layer, node, tensor, …]
bool is_reference(const Config& value) {
  if (!value.is_list() || value.as_list().size() < 3) return false;
  const auto& parts = value.as_list();
  return parts[0].is_string() && parts[1].is_int() && parts[2].is_int();
}

// References to these layers with node indices counted from 0.
Config from_zero(const Config& value, const Names& layers) {
  if (value.is_map()) {
    Config map = Config::map();
    for (const auto& [key, item] : value.as_map()) map[key] = from_zero(item, layers);
    return map;
  }
  if (!value.is_list()) return value;
  Config::List list;
  for (const Config& item : value.as_list()) list.push_back(from_zero(item, layers));
  if (is_reference(value) && layers.contains(list[0].as_string()) && list[1].as_int() > 0)
    list[1] = list[1].as_int() - 1;
  return list;
}

bool has_legacy_nodes(const Config& layer) {
  const Config* nodes = layer.find("inbound_nodes");
  return nodes && nodes->is_list() && !nodes->as_list().empty() && nodes->as_list()[0].is_list();
}

// In Keras 2 the first node of every model is the one created with it; in Keras 3 a Sequential has
// none.
Config with_modern_nodes(const Config& network) {
  const Config* layers = network.find("layers");
  if (!layers || !layers->is_list() || std::ranges::none_of(layers->as_list(), has_legacy_nodes))
    return network;
  Names inner;
  for (const Config& layer : layers->as_list())
    if (const Config* class_name = layer.find("class_name"), *name = layer.find("name");
        class_name && name && name->is_string() && *class_name == Config("Sequential"))
      inner.insert(name->as_string());
  Config modern = network;
  Config::List list;
  for (Config layer : layers->as_list()) {
    if (const Config* nodes = layer.find("inbound_nodes"))
      layer["inbound_nodes"] = from_zero(*nodes, inner);
    list.push_back(std::move(layer));
  }
  modern["layers"] = list;
  if (const Config* outputs = network.find("output_layers"))
    modern["output_layers"] = from_zero(*outputs, inner);
  return modern;
}

Config modern_value(const Config& value);

Config modern_arguments(const std::string& class_name, const Config& arguments) {
  Config modern = Config::map();
  for (const auto& [key, value] : arguments.as_map())
    if (!is_obsolete(class_name, key, value))
      modern[modern_name(class_name, key)] = modern_value(value);
  return with_modern_nodes(modern);
}

// Recursive: models contain models, wrappers contain cells.
Config modern_value(const Config& value) {
  if (value.is_list()) {
    Config::List list;
    for (const Config& item : value.as_list()) list.push_back(modern_value(item));
    return list;
  }
  if (!is_object(value) || !value.find("config")->is_map() ||
      !value.find("class_name")->is_string())
    return value;
  Config modern = value;
  modern["config"] = modern_arguments(value.find("class_name")->as_string(), *value.find("config"));
  return modern;
}

}  // namespace

Config modern_model(const Config& model_config) { return modern_value(model_config); }

}  // namespace stoker::nn
