#include "train_processes.h"

#include <fmt/format.h>

#include <fstream>

#include "launch.h"
#include "stoker/distribution.h"
#include "stoker/error.h"

namespace stoker::cli {
namespace {

int processes_in(const Recipe& recipe) {
  const Config* const table = recipe.config().find("distribution");
  const Config* const processes = table ? table->find("processes") : nullptr;
  return processes ? static_cast<int>(processes->as_int()) : 1;
}

bool is_apply(const std::string& word) { return word == "--apply" || word.starts_with("--apply="); }

// The command line for the ranks: this one without --apply, with the changes that it has kept.
std::vector<std::string> command_with(const std::vector<RecipeChange>& kept) {
  std::vector<std::string> words;
  std::ifstream line("/proc/self/cmdline");
  for (std::string word; std::getline(line, word, '\0');)
    if (!is_apply(word)) words.push_back(word);
  for (const RecipeChange& change : kept) {
    words.emplace_back("--set");
    words.push_back(fmt::format("{}={}", change.key, change.value.to_string()));
  }
  return words;
}

}  // namespace

void TrainProcesses::check() const {
  const int ranks = distribution::num_processes();
  if (ranks > 1 && given > 0 && given != ranks)
    throw InvalidArgument(
        fmt::format("--processes is {}, but this is one of {} processes already.", given, ranks),
        "leave out --processes, or the launcher that started them.");
  if (ranks > 1 && (apply || headroom))
    throw InvalidArgument(
        fmt::format(
            "{} measures one process, and this is one of {}: each would measure different times.",
            apply ? "--apply" : "--headroom", ranks),
        apply ? "use it with `stoker train --processes`, or without a launcher."
              : "run it without a launcher.");
  if (headroom && given > 1)
    throw InvalidArgument(
        fmt::format("--headroom measures one process, but --processes is {}.", given),
        "leave out one of them; stoker plan --processes predicts the time of several.");
}

std::optional<int> TrainProcesses::run(const Recipe& recipe, const std::vector<RecipeChange>& kept,
                                       Invocation& invocation) const {
  const int processes = given > 0 ? given : processes_in(recipe);
  if (processes == 1 || distribution::num_processes() > 1) return std::nullopt;
  invocation.release_stdout();
  return launch(processes, command_with(kept));
}

}  // namespace stoker::cli
