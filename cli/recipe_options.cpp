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
                  "change a value of the recipe: --set fit.epochs=3 --set compile.optimizer=sgd")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

void RecipeOptions::add_device_to(CLI::App& command) {
  command
      .add_option("--device", device,
                  "where to run, instead of the recipe's: /gpu:0, /cpu:0; see stoker devices")
      ->type_name("DEVICE");
}

std::vector<std::string> RecipeOptions::changes() const {
  auto all = overrides;
  if (!device.empty()) all.push_back(fmt::format("device=\"{}\"", required_device(device)));
  return all;
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
