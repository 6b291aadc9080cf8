#include <fmt/format.h>

#include <functional>

#include "recipe/parts.h"

namespace stoker::nn {
namespace {

// Each object in a setting: a single one, a list, or a table by output name.
void check_each(const Config& given, const std::function<void(const Config&)>& check) {
  if (given.is_list())
    for (const Config& item : given.as_list()) check_each(item, check);
  else if (given.is_map() && !given.find("class_name"))
    for (const auto& [output, item] : given.as_map()) check_each(item, check);
  else if (!given.is_null())
    check(given);
}

// The settings of [compile] in Keras's format. Their errors are reported before the file is read.
Config overrides(const RecipeSource& source) {
  const std::vector<std::pair<const char*, std::function<void(const Config&)>>> settings = {
      {"optimizer", [](const Config& config) { return OptimizerRef(config); }},
      {"loss", [](const Config& config) { return LossRef(config); }},
      {"loss_weights", [](const Config&) {}},
      {"metrics", [](const Config& config) { MetricRef(config).check(); }},
      {"weighted_metrics", [](const Config& config) { MetricRef(config).check(); }}};
  std::vector<std::string> keys{"learning_rate"};
  Config table = Config::map();
  for (const auto& [key, check] : settings) {
    keys.emplace_back(key);
    const std::string path = fmt::format("compile.{}", key);
    const Config* given = source.find(path);
    if (!given) continue;
    table[key] = nest_objects(*given);
    source.at(path, [&] { check_each(table[key], check); });
  }
  source.check_keys("compile", keys);
  return table;
}

}  // namespace

std::unique_ptr<Model> read_model_file(const RecipeSource& source) {
  source.check_keys("model", {"file"});
  const Config settings = overrides(source);
  auto model = std::make_unique<Model>(source.at("model.file", [&] {
    return load_model(source.get("model.file").as_string(), {.compile_overrides = settings});
  }));
  set_learning_rate(source, *model);
  return model;
}

void set_learning_rate(const RecipeSource& source, Model& model) {
  const Config* rate = source.find("compile.learning_rate");
  if (!rate) return;
  source.at("compile.learning_rate", [&] {
    if (!model.compiled())
      throw InvalidArgument("the model has no optimizer whose learning rate could be set.",
                            "give compile.loss and compile.optimizer (--loss, --optimizer), too.");
    model.optimizer().set_learning_rate(rate->as_double());
  });
}

}  // namespace stoker::nn
