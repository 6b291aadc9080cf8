#pragma once
#include <optional>

#include "command.h"
#include "stoker/recipe.h"

namespace stoker::cli {

// What `stoker train` does with several processes.
struct TrainProcesses {
  int given = 0;          // --processes; 0: as in the recipe
  bool headroom = false;  // --headroom
  bool apply = false;     // --apply

  // Throws if these options contradict each other, or the launcher of this process.
  void check() const;
  // Runs the same command in several processes, with the changes that --apply has kept instead of
  // --apply. They recognise their rank by the environment. Returns the exit status; none if this
  // process is the only one, or one of these.
  std::optional<int> run(const Recipe& recipe, const std::vector<RecipeChange>& kept,
                         Invocation& invocation) const;
};

}  // namespace stoker::cli
