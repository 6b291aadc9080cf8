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

const std::string of_callbacks = "callbacks/";

Config add_states(const CallbackStates& states, NamedArrays& arrays) {
  Config values = Config::map();
  for (const auto& [name, state] : states) {
    values[name] = state.values;
    for (size_t i = 0; i < state.arrays.size(); ++i)
      arrays.emplace_back(fmt::format("{}{}/{}", of_callbacks, name, i), state.arrays[i]);
  }
  return values;
}

// Takes their arrays out of those of the file.
CallbackStates take_states(const Config& values, std::map<std::string, Array>& arrays) {
  CallbackStates states;
  for (const auto& [name, value] : values.as_map()) {
    callbacks::CallbackState& state = states[name];
    state.values = value;
    const auto key = [&] {
      return fmt::format("{}{}/{}", of_callbacks, name, state.arrays.size());
    };
    for (auto found = arrays.extract(key()); found; found = arrays.extract(key()))
      state.arrays.push_back(found.mapped());
  }
  return states;
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
                                       {"history", to_config(at.history)},
                                       {"callbacks", add_states(at.callbacks, arrays)}});
  save_safetensors(path, arrays, {{"position", position.to_string()}});
}

FitPosition load_backup(Model& model, const std::string& path) {
  const SafeTensors file = load_safetensors(path);
  std::map<std::string, Array> arrays(file.tensors.begin(), file.tensors.end());
  const auto states = states_of(model);
  const auto found = file.metadata.find("position");
  const Config position =
      found != file.metadata.end() ? parse_json(found->second, path) : Config::map();
  const Config* remembered = position.find("callbacks");
  CallbackStates callbacks = remembered ? take_states(*remembered, arrays) : CallbackStates();
  bool fits = remembered && arrays.size() == states.size();
  for (const auto& [name, variable] : states) {
    const auto array = arrays.find(name);
    fits = fits && array != arrays.end() && array->second.type() == variable.type();
  }
  if (!fits)
    throw InvalidArgument(fmt::format("{} is not a backup of model \"{}\" as it is compiled now.",
                                      path, model.name()),
                          "remove it to train from the start.");
  for (const auto& [name, variable] : states) variable.set(arrays.at(name));
  const auto number = [&](const char* key) { return position.find(key)->as_int(); };
  return {static_cast<uint64_t>(number("seed")),
          number("epoch"),
          number("batch"),
          number("pass"),
          number("sample"),
          history_of(*position.find("history")),
          std::move(callbacks)};
}

}  // namespace stoker::nn
