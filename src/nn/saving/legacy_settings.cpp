#include "nn/saving/legacy_settings.h"

#include <algorithm>
#include <set>

namespace stoker::nn {
namespace {

bool is_object(const Config& config) { return config.find("class_name") && config.find("config"); }

// An optimizer of Keras 2 also contains its jit setting and a decay of 0, and from 2.11 on has the
// registered name of a user-defined class.
Config modern_optimizer(const Config& object) {
  static const std::set<std::string> dropped = {"jit_compile", "is_legacy_optimizer", "decay"};
  if (!is_object(object)) return object;
  Config config = Config::map();
  for (const auto& [key, value] : object.find("config")->as_map())
    if (!dropped.contains(key)) config[key == "lr" ? "learning_rate" : key] = value;
  Config modern = object;
  modern["config"] = config;
  const Config& name = *object.find("class_name");
  const std::string custom = "Custom>";
  if (name.is_string() && name.as_string().starts_with(custom))
    modern["class_name"] = name.as_string().substr(custom.size());
  return modern;
}

// {"class_name": "MeanMetricWrapper", "config": {"fn": "mean_squared_error"}} becomes the function.
Config modern_part(const Config& part) {
  if (part.is_list()) {
    Config::List list;
    for (const Config& item : part.as_list()) list.push_back(modern_part(item));
    return list;
  }
  if (!part.is_map()) return part;
  if (!is_object(part)) {
    Config table = Config::map();
    for (const auto& [key, value] : part.as_map()) table[key] = modern_part(value);
    return table;
  }
  Config modern = part, config = Config::map();
  const Config& arguments = *part.find("config");
  if (!arguments.is_map()) return part;
  const Config* function = arguments.find("fn");
  if (part.find("class_name")->to_string() == "\"MeanMetricWrapper\"" && function) return *function;
  for (const auto& [key, value] : arguments.as_map()) {
    const bool automatic = key == "reduction" && value.is_string() && value.as_string() == "auto";
    if (key != "fn") config[key] = automatic ? Config("sum_over_batch_size") : value;
  }
  modern["config"] = config;
  return modern;
}

}  // namespace

Config modern_settings(const Config& training_config) {
  Config settings = Config::map();
  for (const auto& [key, value] : training_config.as_map())
    if (key == "optimizer_config")
      settings["optimizer"] = modern_optimizer(value);
    else if (key != "sample_weight_mode")
      settings[key] = modern_part(value);
  return settings;
}

}  // namespace stoker::nn
