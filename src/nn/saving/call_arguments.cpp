#include "nn/saving/call_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/config/array_config.h"
#include "nn/config/registry.h"
#include "nn/dict_input.h"
#include "nn/operations/operation.h"
#include "stoker/layers/rnn.h"
#include "stoker/suggest.h"

namespace stoker::nn {
namespace {

constexpr const char* tensor_class = "__keras_tensor__";

bool is_object(const Config& config, const std::string& class_name) {
  const Config* found = config.find("class_name");
  return found && found->is_string() && found->as_string() == class_name;
}

const Config& member(const Config& config, const char* key) {
  const Config* found = config.find(key);
  if (!found)
    throw InvalidArgument(fmt::format("a call needs \"{}\", got {}.", key, config.to_string()));
  return *found;
}

// The order in which Python flattens a dict: sorted by key.
Config::Map by_key(const Config& map) {
  Config::Map sorted = map.as_map();
  std::ranges::sort(sorted, {}, &Config::Member::first);
  return sorted;
}

// Copies a tree of arguments with its tensors replaced.
Config with_tensors(const Config& config, const std::function<Config(const Config&)>& replace) {
  if (is_call_tensor(config)) return replace(member(config, "config"));
  if (config.is_list()) {
    Config::List list;
    for (const Config& item : config.as_list()) list.push_back(with_tensors(item, replace));
    return list;
  }
  if (!config.is_map()) return config;
  Config map = config;  // keeps the order of the keys
  for (const auto& [key, value] : by_key(config)) map[key] = with_tensors(value, replace);
  return map;
}

Config tensor_at(const Config::List& parts) {
  return Config::map({{"class_name", tensor_class},
                      {"config", Config::map({{"keras_history",
                                               Config::List(parts.begin(), parts.begin() + 3)}})}});
}

// Keras 2's [layer, node, tensor] in the arguments of a call.
Config modern_argument(const Config& value) {
  if (!value.is_list()) return value;
  const auto& parts = value.as_list();
  if (parts.size() == 3 && parts[0].is_string() && parts[1].is_int() && parts[2].is_int())
    return tensor_at(parts);
  Config::List list;
  for (const Config& item : parts) list.push_back(modern_argument(item));
  return list;
}

// Converts Keras 2's [[layer, node, tensor, kwargs], …] to Keras 3's form.
Config modern(const Config& node) {
  if (!node.is_list()) return node;
  Config::List tensors;
  Config kwargs = Config::map();
  for (const Config& item : node.as_list()) {
    const auto& parts = item.as_list();
    if (parts.size() < 3 || parts.size() > 4)
      throw InvalidArgument(fmt::format("{} does not name a tensor.", item.to_string()));
    tensors.push_back(tensor_at(parts));
    if (parts.size() == 4)
      for (const auto& [key, value] : parts[3].as_map()) kwargs[key] = modern_argument(value);
  }
  return Config::map({{"args", Config::List{tensors.size() == 1 ? tensors[0] : Config(tensors)}},
                      {"kwargs", kwargs}});
}

void flatten(const Config& value, const CallArguments& form, std::vector<Tensor>& out) {
  if (is_call_tensor(value))
    return out.push_back(form.tensors.at(static_cast<size_t>(value.find("config")->as_int())));
  if (is_call_array(value)) return out.push_back(array_from(member(value, "config")));
  if (value.is_list())
    for (const Config& item : value.as_list()) flatten(item, form, out);
  else if (value.is_map())
    for (const auto& [key, item] : by_key(value)) flatten(item, form, out);
  else if (value.is_null())
    out.emplace_back();
}

bool has_tensor(const Config& value) {
  if (is_call_tensor(value) || is_call_array(value)) return true;
  if (value.is_list()) return std::ranges::any_of(value.as_list(), has_tensor);
  return value.is_map() && std::ranges::any_of(value.as_map(), [](const Config::Member& m) {
           return has_tensor(m.second);
         });
}

std::vector<std::string> parameters(const Layer& layer) {
  const auto signature = layer.call_signature();
  auto names = signature.inputs;
  names.insert(names.end(), signature.others.begin(), signature.others.end());
  for (const char* any : {"training", "mask"})
    if (std::ranges::find(names, any) == names.end()) names.emplace_back(any);
  return names;
}

// All arguments by name, including positional ones.
Config::Map named_arguments(const Config& args, const Config& kwargs, const Layer& layer) {
  const auto names = parameters(layer);
  Config::Map found;
  for (const Config& value : args.as_list()) {
    if (found.size() == names.size())
      throw InvalidArgument(fmt::format("a call with {} arguments, {} takes {}.",
                                        args.as_list().size(), layer.class_name(), names.size()));
    found.emplace_back(names[found.size()], value);
  }
  for (const auto& [key, value] : kwargs.as_map()) {
    if (std::ranges::find(names, key) == names.end() && !value.is_null())
      throw Unsupported(fmt::format("the argument \"{}\" of a call of {} is not supported.", key,
                                    layer.class_name()),
                        did_you_mean(key, names));
    found.emplace_back(key, value);
  }
  return found;
}

// A dict of inputs is ordered by the model's input names if they match, else by its keys.
std::vector<Tensor> inputs_from(const Config& value, const CallArguments& form,
                                const Layer& layer) {
  std::vector<Tensor> inputs;
  const auto* network = dynamic_cast<const FunctionalNetwork*>(&layer);
  if (network && value.is_map() && !is_call_tensor(value)) {
    for (const Tensor& input : network->inputs())
      if (const Config* named = value.find(as_spec(input)->node->name))
        flatten(*named, form, inputs);
    if (inputs.size() == network->inputs().size()) return inputs;
    inputs.clear();
  }
  flatten(value, form, inputs);
  return inputs;
}

// A key "outer/inner" becomes a nested dict.
Config table_of(const std::vector<std::string>& keys, const Config::List& values) {
  Config table = Config::map();
  for (size_t i = 0; i < std::min(keys.size(), values.size()); ++i) {
    const size_t outer = keys[i].find('/');
    if (outer == std::string::npos) {
      table[keys[i]] = values[i];
      continue;
    }
    const std::string name = keys[i].substr(0, outer);
    if (!table.find(name)) table[name] = Config::map();
    table[name][keys[i].substr(outer + 1)] = values[i];
  }
  return table;
}

// A cell's states in Keras's form: [h, c], and for StackedRNNCells such a list for each cell.
Config::List states_list(const Layer& cell, Config::List::const_iterator& next) {
  Config::List list;
  if (cell.class_name() == "StackedRNNCells") {
    for (const LayerRef& inner : cell.sublayers()) list.emplace_back(states_list(*inner, next));
    return list;
  }
  const size_t count = dynamic_cast<const layers::RnnCell&>(cell).state_size().size();
  for (size_t i = 0; i < count; ++i) list.push_back(*next++);
  return list;
}

Config::List positional(const Layer& layer, const Config::List& inputs) {
  const auto* cell = dynamic_cast<const layers::RnnCell*>(&layer);
  if (!cell || inputs.size() != 1 + cell->state_size().size()) return inputs;
  auto next = inputs.begin() + 1;
  return {inputs[0], states_list(layer, next)};
}

}  // namespace

Config call_tensor(size_t number) {
  return Config::map({{"class_name", tensor_class}, {"config", static_cast<int64_t>(number)}});
}
bool is_call_tensor(const Config& value) { return is_object(value, tensor_class); }
bool is_call_array(const Config& value) {
  return is_object(value, "__tensor__") || is_object(value, "__numpy__");
}

TensorOrigin origin_from(const Config& config) {
  const auto& parts = config.as_list();
  if (parts.size() != 3 || parts[1].as_int() < 0 || parts[2].as_int() < 0)
    throw InvalidArgument(fmt::format("{} does not name a tensor.", config.to_string()),
                          "it is [layer, node, tensor].");
  return {parts[0].as_string(), static_cast<size_t>(parts[1].as_int()),
          static_cast<size_t>(parts[2].as_int())};
}

std::optional<CallArguments> read_call_arguments(
    const Config& node, const std::function<Tensor(const TensorOrigin&)>& find) {
  const Config call = modern(node);
  CallArguments form;
  bool complete = true;
  const auto replace = [&](const Config& config) {
    const Tensor tensor = find(origin_from(member(config, "keras_history")));
    complete = complete && tensor.defined();
    form.tensors.push_back(tensor);
    return call_tensor(form.tensors.size() - 1);
  };
  form.args = with_tensors(member(call, "args"), replace);
  form.kwargs = with_tensors(member(call, "kwargs"), replace);
  if (!complete) return std::nullopt;
  return form;
}

Config write_call_arguments(const CallArguments& form,
                            const std::function<TensorOrigin(const SpecTensor&)>& origin_of) {
  const auto replace = [&](const Config& number) {
    const Tensor& tensor = form.tensors.at(static_cast<size_t>(number.as_int()));
    const TensorOrigin origin = origin_of(*as_spec(tensor));
    return Config::map(
        {{"class_name", tensor_class},
         {"config", Config::map({{"shape", shape_config(tensor.shape())},
                                 {"dtype", keras_dtype(tensor)},
                                 {"keras_history",
                                  Config::List{origin.layer, static_cast<int64_t>(origin.node),
                                               static_cast<int64_t>(origin.tensor)}}})}});
  };
  return Config::map(
      {{"args", with_tensors(form.args, replace)}, {"kwargs", with_tensors(form.kwargs, replace)}});
}

CallArguments form_of(const CallNode& call) {
  if (call.form) return *call.form;
  CallArguments form;
  const auto add = [&](const Tensor& tensor) {
    if (!as_spec(tensor))
      throw Unsupported(
          fmt::format("the call of layer \"{}\" has a constant as its argument.", call.name),
          "model files hold what comes from Input()s.");
    form.tensors.push_back(tensor);
    return call_tensor(form.tensors.size() - 1);
  };
  const auto list_of = [&](const std::vector<Tensor>& tensors) {
    Config::List list;
    for (const Tensor& tensor : tensors) list.push_back(add(tensor));
    return list;
  };
  const bool separate = call.layer->call_signature().inputs.size() > 1;
  const auto* table = dynamic_cast<const DictInput*>(call.layer.ptr().get());
  const Config::List inputs = list_of(call.inputs);
  if (separate || inputs.size() == 1)
    form.args = positional(*call.layer, inputs);
  else
    form.args = Config::List{table ? table_of(table->keys(), inputs) : Config(inputs)};
  for (const auto& [name, tensors] : call.args.tensors)
    form.kwargs[name] = tensors.size() == 1 ? add(tensors[0]) : Config(list_of(tensors));
  for (const auto& [name, value] : call.args.options.as_map()) form.kwargs[name] = value;
  if (call.args.training) form.kwargs["training"] = true;
  return form;
}

void check_call(const Config& node, const Layer& layer) {
  const Config call = modern(node);
  if (dynamic_cast<const OperationLayer*>(&layer)) return;  // it checks its own arguments
  named_arguments(member(call, "args"), member(call, "kwargs"), layer);
}

LayerCall call_of(const CallArguments& form, const Layer& layer) {
  if (dynamic_cast<const OperationLayer*>(&layer))
    return {form.tensors, {.options = Config::map({{"args", form.args}, {"kwargs", form.kwargs}})}};
  const auto signature = layer.call_signature();
  const Config::Map given = named_arguments(form.args, form.kwargs, layer);
  LayerCall call;
  for (const std::string& input : signature.inputs)
    for (const auto& [name, value] : given)
      if (name == input && !value.is_null())
        for (const Tensor& tensor : inputs_from(value, form, layer)) call.inputs.push_back(tensor);
  for (const auto& [name, value] : given) {
    // Whether a model is training is decided by the running model: Keras gives that precedence over
    // the call's argument.
    if (value.is_null() || name == "training") continue;
    if (std::ranges::find(signature.inputs, name) != signature.inputs.end()) continue;
    if (has_tensor(value))
      flatten(value, form, call.args.tensors[name]);
    else
      call.args.options[name] = value;
  }
  return call;
}

std::vector<Tensor> describe_form(const LayerRef& layer, const CallArguments& form) {
  const LayerCall call = call_of(form, *layer);
  auto outputs = layer.call_all(call.inputs, call.args);
  if (outputs.empty() || !as_spec(outputs[0]))
    throw InvalidArgument(fmt::format("layer \"{}\" is called on constants only.", layer->name()));
  as_spec(outputs[0])->node->form = form;
  return outputs;
}

}  // namespace stoker::nn
