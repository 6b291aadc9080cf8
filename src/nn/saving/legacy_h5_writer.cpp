#include <fmt/format.h>

#include "nn/config/registry.h"
#include "nn/saving/archive.h"
#include "nn/saving/legacy_h5.h"
#include "nn/saving/network_config.h"
#include "nn/saving/optimizer_state.h"

// Writes a model in the ".h5" format of current versions of Keras.
namespace stoker::nn {
namespace {

constexpr const char* backend = "tensorflow";  // kernels have its memory layout

void describe(H5Group& group) {
  group.attributes["keras_version"] = format_version;
  group.attributes["backend"] = backend;
}

// Keras's reader accepts "mean_squared_error", but not its alias "mse".
Config full_name(const Config& loss) {
  if (loss.is_string() && Registry<LossRef>::instance().contains(loss.as_string()))
    return LossRef(loss)->name();
  if (!loss.is_list()) return loss;
  Config::List list;
  for (const Config& item : loss.as_list()) list.push_back(full_name(item));
  return list;
}

Config training_config(const Config& settings) {
  Config training = Config::map();
  for (const auto& [key, value] : settings.as_map())
    if (key == "optimizer" && value.find("class_name")) {
      const ObjectConfig object = parse_object(value);
      training["optimizer_config"] = make_object(object.class_name, object.config);
    } else {
      training[key] = key == "loss" ? full_name(value) : value;
    }
  return training;
}

H5Value names_of(const std::vector<std::pair<std::string, Variable>>& variables) {
  std::vector<std::string> names;
  for (const auto& [name, variable] : variables) names.push_back(name);
  return names;
}

// Under their names, which an attribute lists in order; duplicates get a number.
void store_named(H5Group& group, const std::vector<Variable>& variables) {
  std::vector<std::pair<std::string, Variable>> named;
  std::map<std::string, int> counts;
  for (const Variable& variable : variables) {
    const int n = counts[variable.name()]++;
    named.emplace_back(n == 0 ? variable.name() : fmt::format("{}_{}", variable.name(), n),
                       variable);
  }
  for (const auto& [name, variable] : named) group.add(name, variable.array());
  group.attributes["weight_names"] = names_of(named);
}

}  // namespace

H5Group legacy_tree(const Model& model) {
  H5Group root;
  describe(root);
  const Config network = serialize_layer(*model.network());
  root.attributes["model_config"] = Config::map({{"class_name", *network.find("class_name")},
                                                 {"config", *network.find("config")}})
                                        .to_string();
  H5Group& weights = root.group("model_weights");
  describe(weights);
  std::vector<std::string> layers;
  for (const LayerRef& layer : model.network()->sublayers()) {
    layers.push_back(layer->name());
    store_named(weights.group(layer->name()), legacy_weights(*layer));
  }
  weights.attributes["layer_names"] = layers;
  store_named(weights.group("top_level_model_weights"), {});
  if (!model.compiled()) return root;
  root.attributes["training_config"] = training_config(model.get_compile_config()).to_string();
  store_named(root.group("optimizer_weights"),
              optimizer_groups(model.optimizer()).front().variables);
  return root;
}

}  // namespace stoker::nn
