#include "nn/callbacks/backup_file.h"

#include <fmt/format.h>

#include <map>

#include "stoker/io.h"

namespace stoker::nn {
namespace {

using NamedVariables = std::vector<std::pair<std::string, Variable>>;

NamedVariables states_of(Model& model) {
  NamedVariables all;
  const auto add = [&](const char* kind, const std::vector<Variable>& variables) {
    for (size_t i = 0; i < variables.size(); ++i)
      all.emplace_back(fmt::format("{}/{}", kind, i), variables[i]);
  };
  add("weights", model.weights());
  add("hidden", model.network()->hidden_states());
  add("optimizer", model.optimizer().variables());
  std::vector<Variable> metrics;
  for (const auto& metric : model.metrics())
    metrics.insert(metrics.end(), metric->variables().begin(), metric->variables().end());
  add("metrics", metrics);
  return all;
}

Config to_config(const History& history) {
  Config::List epochs(history.epoch.begin(), history.epoch.end());
  Config values = Config::map();
  for (const auto& [name, numbers] : history.history)
    values[name] = Config::List(numbers.begin(), numbers.end());
  return Config::map({{"epoch", epochs}, {"history", values}});
}

History history_of(const Config& config) {
  History history;
  for (const Config& epoch : config.find("epoch")->as_list())
    history.epoch.push_back(epoch.as_int());
  for (const auto& [name, numbers] : config.find("history")->as_map()) {
    history.history.emplace_back(name, std::vector<double>());
    for (const Config& number : numbers.as_list())
      history.history.back().second.push_back(number.as_double());
  }
  return history;
}

}  // namespace

void save_backup(Model& model, const FitPosition& at, const std::string& path) {
  NamedArrays arrays;
  for (const auto& [name, variable] : states_of(model)) arrays.emplace_back(name, variable.array());
  const Config position = Config::map({{"seed", static_cast<int64_t>(at.seed)},
                                       {"epoch", at.epoch},
                                       {"batch", at.batch},
                                       {"pass", at.pass},
                                       {"sample", at.sample},
                                       {"history", to_config(at.history)}});
  save_safetensors(path, arrays, {{"position", position.to_string()}});
}

FitPosition load_backup(Model& model, const std::string& path) {
  const SafeTensors file = load_safetensors(path);
  const std::map<std::string, Array> arrays(file.tensors.begin(), file.tensors.end());
  const auto states = states_of(model);
  const auto found = file.metadata.find("position");
  bool fits = found != file.metadata.end() && arrays.size() == states.size();
  for (const auto& [name, variable] : states) {
    const auto array = arrays.find(name);
    fits = fits && array != arrays.end() && array->second.type() == variable.type();
  }
  if (!fits)
    throw InvalidArgument(fmt::format("{} is not a backup of model \"{}\" as it is compiled now.",
                                      path, model.name()),
                          "remove it to train from the start.");
  for (const auto& [name, variable] : states) variable.set(arrays.at(name));
  const Config position = parse_json(found->second, path);
  const auto number = [&](const char* key) { return position.find(key)->as_int(); };
  return {static_cast<uint64_t>(number("seed")),
          number("epoch"),
          number("batch"),
          number("pass"),
          number("sample"),
          history_of(*position.find("history"))};
}

}  // namespace stoker::nn
