#include "recipe_options.h"

#include <CLI/CLI.hpp>

namespace stoker::cli {

void RecipeOptions::add_to(CLI::App& command) {
  command.add_option("recipe", path, "the recipe, a TOML file")->required()->type_name("RECIPE");
  command
      .add_option("--set", overrides,
                  "change a value of the recipe: --set fit.epochs=3 --set compile.optimizer=sgd")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

}  // namespace stoker::cli
