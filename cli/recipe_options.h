#pragma once
#include <string>
#include <vector>

#include "stoker/recipe.h"

namespace CLI {
class App;
}

namespace stoker::cli {

// RECIPE, --set and --device, common to several commands.
struct RecipeOptions {
  std::string path, device;
  std::vector<std::string> overrides;
  void add_to(CLI::App& command);
  void add_device_to(CLI::App& command);
  Recipe load() const { return Recipe(path, changes()); }
  std::vector<std::string> changes() const;  // all of them as overrides
};

// Throws if there are no weights, neither given nor in a model file.
void require_weights(const Recipe& recipe, const std::string& weights);

// A device named by the user must exist: throws with the reason if not.
const std::string& required_device(const std::string& name, const std::string& where = "--device");

}  // namespace stoker::cli
