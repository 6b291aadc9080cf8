#pragma once
#include <string>
#include <vector>

#include "stoker/recipe.h"

namespace CLI {
class App;
}

namespace stoker::cli {

// RECIPE and --set, which several commands take.
struct RecipeOptions {
  std::string path;
  std::vector<std::string> overrides;
  void add_to(CLI::App& command);
  Recipe load() const { return Recipe(path, overrides); }
};

}  // namespace stoker::cli
