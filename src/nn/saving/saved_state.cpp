#include "nn/saving/saved_state.h"

#include <fmt/format.h>

#include <set>

#include "nn/saving/misfit.h"

namespace stoker::nn {
namespace {

class Walk {
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

// Before Keras 3 the layers of a network lay under another name.
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

std::vector<std::string> misfits(const SavedGroup& group, const H5Group* vars) {
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
  if (vars)
    for (const auto& [key, dataset] : vars->datasets)
      if (!is_index_below(key, group.variables.size()))
        found.push_back(only_in_file(path + "/" + key, dataset.value.numbers.type()));
  return found;
}

// Variables of layers that the model does not have. What random layers counted may lie beside them.
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

bool restore(const std::vector<Variable>& variables, const std::vector<Array>& stored) {
  if (variables.size() != stored.size()) return false;
  for (size_t i = 0; i < variables.size(); ++i)
    if (variables[i].shape() != stored[i].shape()) return false;
  for (size_t i = 0; i < variables.size(); ++i) variables[i].set(stored[i]);
  return true;
}

}  // namespace

std::vector<SavedGroup> saved_groups(Layer& network) {
  Walk walk;
  walk.visit(network, "");
  return std::move(walk.groups);
}

SavedGroup saved_group(const Optimizer& optimizer, const std::string& path) {
  return {path, optimizer.name(), optimizer.saved_variables()};
}

void store(const std::vector<SavedGroup>& groups, H5Group& root) {
  for (const SavedGroup& group : groups) {
    H5Group& vars = root.group(group.vars());
    vars.attributes["name"] = H5Value(group.name);
    for (size_t i = 0; i < group.variables.size(); ++i)
      vars.datasets[std::to_string(i)].value = group.variables[i].array();
  }
}

void restore(const std::vector<SavedGroup>& groups, const H5Group& root, const std::string& file) {
  std::vector<std::string> problems;
  std::vector<std::pair<Variable, Array>> values;
  for (const SavedGroup& group : groups) {
    const H5Group* vars = find_vars(root, group);
    auto found = misfits(group, vars);
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
}

bool restore(const Optimizer& optimizer, const H5Group& root) {
  const H5Group* vars = find_vars(root, saved_group(optimizer));
  std::vector<Array> stored;
  while (const H5Dataset* dataset = find_variable(vars, stored.size()))
    stored.push_back(dataset->value.numbers);
  return vars && stored.size() == vars->datasets.size() && restore(optimizer, stored);
}

bool restore(const Optimizer& optimizer, const std::vector<Array>& stored) {
  auto variables = optimizer.saved_variables();
  if (restore(variables, stored)) return true;
  // Keras 2 kept no rate there, and moments of an SGD that has none.
  std::erase_if(variables, [](const Variable& v) { return v.name().ends_with("/learning_rate"); });
  const bool slotless = variables.size() == 1 && stored.size() > 1;
  return restore(variables, slotless ? std::vector{stored[0]} : stored);
}

}  // namespace stoker::nn
