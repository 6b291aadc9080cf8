#include "nn/saving/legacy_h5.h"

#include <fmt/format.h>

#include "nn/saving/legacy_settings.h"
#include "nn/saving/optimizer_state.h"
#include "nn/saving/weight_mismatch.h"
#include "stoker/io.h"

namespace stoker::nn {
namespace {

constexpr const char* model_attribute = "model_config";
constexpr const char* weights_group = "model_weights";
constexpr const char* optimizer_group = "optimizer_weights";

const std::string* text_attribute(const H5Group& group, const char* name) {
  const auto at = group.attributes.find(name);
  if (at == group.attributes.end() || at->second.texts.size() != 1) return nullptr;
  return &at->second.texts[0];
}

// A list too long for one attribute is split into name0, name1, …
std::vector<std::string> text_list(const H5Group& group, const std::string& name) {
  if (const auto at = group.attributes.find(name); at != group.attributes.end())
    return at->second.texts;
  std::vector<std::string> list;
  for (int i = 0;; ++i) {
    const auto at = group.attributes.find(fmt::format("{}{}", name, i));
    if (at == group.attributes.end()) return list;
    list.insert(list.end(), at->second.texts.begin(), at->second.texts.end());
  }
}

struct LegacyGroup {
  std::string name;
  std::vector<std::pair<std::string, Array>> arrays;
};

LegacyGroup read_group(const H5Group& parent, const std::string& name, const std::string& file) {
  const H5Group* group = parent.find_group(name);
  if (!group)
    throw InvalidArgument(
        fmt::format("{}: the group \"{}\" that it lists does not exist.", file, name));
  LegacyGroup found{name, {}};
  for (const auto& weight : text_list(*group, "weight_names")) {
    const H5Dataset* dataset = group->find_dataset(weight);
    if (!dataset || dataset->value.is_text())
      throw InvalidArgument(
          fmt::format("{}: the weight \"{}\" of \"{}\" does not exist.", file, weight, name));
    found.arrays.emplace_back(weight, dataset->value.numbers);
  }
  return found;
}

const H5Group& weights_of(const H5Group& root) {
  const H5Group* group = root.find_group(weights_group);
  return group ? *group : root;
}

void compare(const LayerRef& layer, const LegacyGroup& group, std::vector<std::string>& problems) {
  const auto variables = legacy_weights(*layer);
  if (variables.size() != group.arrays.size())
    problems.push_back(fmt::format("layer \"{}\" has {} weights, \"{}\" in the file {}",
                                   layer->name(), variables.size(), group.name,
                                   group.arrays.size()));
  else
    for (size_t i = 0; i < variables.size(); ++i)
      if (const auto& [name, array] = group.arrays[i]; array.shape() != variables[i].shape())
        problems.push_back(other_in_file(name, variables[i].type(), array.type()));
}

}  // namespace

std::vector<Variable> legacy_weights(const Layer& layer) {
  auto all = layer.trainable_variables();
  const auto rest = layer.non_trainable_variables();
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

bool has_legacy_model(const H5Group& root) {
  return text_attribute(root, model_attribute) != nullptr;
}

bool has_legacy_weights(const H5Group& root) {
  return root.find_group(weights_group) || root.attributes.contains("layer_names") ||
         root.attributes.contains("layer_names0");
}

Config legacy_model_config(const H5Group& root, const std::string& file) {
  Config model = parse_json(*text_attribute(root, model_attribute), file);
  if (const std::string* text = text_attribute(root, "training_config"))
    model["compile_config"] = modern_settings(parse_json(*text, file));
  return model;
}

void restore_legacy_weights(const Layer& network, const H5Group& root, const std::string& file) {
  const H5Group& groups = weights_of(root);
  std::vector<LegacyGroup> stored;
  for (const auto& name : text_list(groups, "layer_names"))
    if (auto group = read_group(groups, name, file); !group.arrays.empty())
      stored.push_back(std::move(group));
  std::vector<LayerRef> layers;
  for (const LayerRef& layer : network.sublayers())
    if (!layer->weights().empty()) layers.push_back(layer);
  std::vector<std::string> problems;
  if (layers.size() != stored.size())
    problems.push_back(
        fmt::format("{} layers have weights, {} in the file", layers.size(), stored.size()));
  for (size_t i = 0; i < std::min(layers.size(), stored.size()); ++i)
    compare(layers[i], stored[i], problems);
  if (!problems.empty()) refuse_weights(file, network.name(), std::move(problems));
  for (size_t i = 0; i < layers.size(); ++i) {
    const auto variables = legacy_weights(*layers[i]);
    for (size_t v = 0; v < variables.size(); ++v) variables[v].set(stored[i].arrays[v].second);
  }
}

std::string restore_legacy_optimizer(Optimizer& optimizer, const std::vector<Variable>& weights,
                                     const H5Group& root) {
  if (!root.find_group(optimizer_group)) return "";
  std::vector<Array> stored;
  const auto arrays = read_group(root, optimizer_group, "").arrays;
  for (const auto& [name, array] : arrays) stored.push_back(array);
  const bool old = !arrays.empty() && arrays[0].first.ends_with("iter:0");  // later: "iteration"
  return restore_state(optimizer, weights, stored, old ? SlotOrder::by_slot : SlotOrder::by_weight);
}

}  // namespace stoker::nn
