#include "recipe_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model_file.h"
#include "stoker/device.h"

namespace stoker::cli {

void RecipeOptions::add_to(CLI::App& command) {
  command.add_option("model", path, "a recipe (a TOML file) or a model file (.keras, .h5)")
      ->required()
      ->type_name("MODEL");
  const OptionsOf recipes(command, recipe_options);
  command
      .add_option("--set", overrides,
                  "replace a value of the recipe; may be repeated: --set fit.epochs=3 --set "
                  "compile.optimizer=sgd")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

void RecipeOptions::add_device_to(CLI::App& command) {
  command
      .add_option(
          "--device", device,
          "the device: /gpu:0, /cpu:0 …; stoker devices lists them (default: the recipe's, else "
          "the first GPU, else the CPU)")
      ->type_name("DEVICE");
}

std::vector<std::string> RecipeOptions::changes() const {
  auto all = overrides;
  if (!device.empty()) all.push_back(fmt::format("device=\"{}\"", required_device(device)));
  return all;
}

void require_weights(const Recipe& recipe, const std::string& weights) {
  if (weights.empty() && recipe.model_file().empty())
    throw InvalidArgument("--weights is missing: the recipe has none.",
                          "name a safetensors file that train has saved.");
}

const std::string& required_device(const std::string& name, const std::string& where) {
  try {
    find_logical_device(name);
  } catch (Error& error) {
    error.add_where(where);
    throw;
  }
  return name;
}

}  // namespace stoker::cli
