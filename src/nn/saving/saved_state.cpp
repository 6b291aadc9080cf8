#include "nn/saving/saved_state.h"

#include <fmt/format.h>

#include <set>

#include "nn/layers/preprocessing/vocabulary.h"
#include "nn/saving/weight_mismatch.h"

namespace stoker::nn {
namespace {

class GroupVisitor {
 public:
  void visit(Layer& layer, const std::string& path) {
    if (!seen_.insert(&layer).second) return;
    groups.push_back({path, layer.name(), layer.own_weights(), &layer});
    for (const auto& [attribute, sub] : layer.named_sublayers())
      visit(*sub, path.empty() ? attribute : path + "/" + attribute);
  }
  std::vector<SavedGroup> groups;

 private:
  std::set<const Layer*> seen_;
};

// Before Keras 3 a network's layers were in a group of another name.
const H5Group* find_vars(const H5Group& root, const SavedGroup& group) {
  if (const H5Group* found = root.find_group(group.vars())) return found;
  std::string older = group.vars();
  for (size_t at = 0; (at = older.find("layers/", at)) != older.npos; at += 31)
    older.replace(at, 6, "_layer_checkpoint_dependencies");
  return root.find_group(older);
}

const H5Dataset* find_variable(const H5Group* vars, size_t index) {
  if (!vars) return nullptr;
  const auto at = vars->datasets.find(std::to_string(index));
  return at == vars->datasets.end() || at->second.value.is_text() ? nullptr : &at->second;
}

// Keras stores these by name next to a layer's numbered variables.
constexpr const char* idf_weights = "idf_weights";
HasVocabulary* weighing_layer(const SavedGroup& group) {
  auto* found = dynamic_cast<HasVocabulary*>(group.layer);
  return found && found->idf_weights().shape().rank() == 1 ? found : nullptr;
}
const Array* find_idf_weights(const H5Group* vars) {
  if (!vars) return nullptr;
  const auto at = vars->datasets.find(idf_weights);
  return at == vars->datasets.end() || at->second.value.is_text() ? nullptr
                                                                  : &at->second.value.numbers;
}

void find_weight_mismatches(const SavedGroup& group, const H5Group* vars,
                            std::vector<std::string>& found) {
  const HasVocabulary* layer = weighing_layer(group);
  if (!layer) return;
  const TensorType wanted = layer->idf_weights().type();
  const Array* stored = find_idf_weights(vars);
  const std::string name = group.vars() + "/" + idf_weights;
  if (!stored)
    found.push_back(missing_in_file(name, wanted));
  else if (stored->shape() != wanted.shape)
    found.push_back(other_in_file(name, wanted, stored->type()));
}

std::vector<std::string> mismatches(const SavedGroup& group, const H5Group* vars) {
  std::vector<std::string> found;
  const std::string path = group.vars();
  for (size_t i = 0; i < group.variables.size(); ++i) {
    const Variable& variable = group.variables[i];
    const H5Dataset* stored = find_variable(vars, i);
    const std::string name = fmt::format("{}/{} ({})", path, i, variable.name());
    if (!stored)
      found.push_back(missing_in_file(name, variable.type()));
    else if (stored->value.shape != variable.shape())
      found.push_back(other_in_file(name, variable.type(), stored->value.numbers.type()));
  }
  find_weight_mismatches(group, vars, found);
  if (vars)
    for (const auto& [key, dataset] : vars->datasets)
      if (!is_index_below(key, group.variables.size()) &&
          !(key == idf_weights && weighing_layer(group)))
        found.push_back(only_in_file(path + "/" + key, dataset.value.numbers.type()));
  return found;
}

// Variables of layers that the model does not have. Counters of random layers are ignored.
void find_unknown(const H5Group& group, const std::string& path, const std::set<std::string>& known,
                  std::vector<std::string>& found) {
  if (path.ends_with("generator")) return;
  for (const auto& [name, child] : group.groups) {
    const std::string inside = path + "/" + name;
    if (name != "vars")
      find_unknown(child, inside, known, found);
    else if (!known.contains(inside))
      for (const auto& [key, dataset] : child.datasets)
        found.push_back(only_in_file(inside + "/" + key, dataset.value.numbers.type()));
  }
}

}  // namespace

std::vector<SavedGroup> saved_groups(Layer& network) {
  GroupVisitor visitor;
  visitor.visit(network, "");
  return std::move(visitor.groups);
}

void store(const std::vector<SavedGroup>& groups, H5Group& root) {
  for (const SavedGroup& group : groups) {
    H5Group& vars = root.group(group.vars());
    vars.attributes["name"] = H5Value(group.name);
    for (size_t i = 0; i < group.variables.size(); ++i)
      vars.datasets[std::to_string(i)].value = group.variables[i].array();
    if (const HasVocabulary* layer = weighing_layer(group))
      vars.datasets[idf_weights].value = layer->idf_weights();
  }
}

void restore(const std::vector<SavedGroup>& groups, const H5Group& root, const std::string& file) {
  std::vector<std::string> problems;
  std::vector<std::pair<Variable, Array>> values;
  for (const SavedGroup& group : groups) {
    const H5Group* vars = find_vars(root, group);
    auto found = mismatches(group, vars);
    problems.insert(problems.end(), found.begin(), found.end());
    if (!found.empty()) continue;
    for (size_t i = 0; i < group.variables.size(); ++i)
      values.emplace_back(group.variables[i], find_variable(vars, i)->value.numbers);
  }
  std::set<std::string> known;
  for (const SavedGroup& group : groups) known.insert(group.vars());
  if (const H5Group* layers = root.find_group("layers"))
    find_unknown(*layers, "layers", known, problems);
  if (!problems.empty()) refuse_weights(file, groups.front().name, std::move(problems));
  for (const auto& [variable, value] : values) variable.set(value);
  for (const SavedGroup& group : groups)
    if (HasVocabulary* layer = weighing_layer(group))
      layer->restore_idf_weights(*find_idf_weights(find_vars(root, group)));
}

}  // namespace stoker::nn
