#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "interrupt.h"
#include "recipe_options.h"
#include "train_model.h"

namespace stoker::cli {
namespace {

struct TrainOptions {
  RecipeOptions recipe;
  std::string out;
  bool quiet = false;
};

Config to_config(const TrainingResult& result) {
  return Config::map({{"epochs", static_cast<int64_t>(result.history.epoch.size())},
                      {"history", cli::to_config(result.history)},
                      {"test", cli::to_config(result.test)},
                      {"samples_per_second", number(result.samples_per_second)},
                      {"seconds", number(result.seconds)},
                      {"account", result.account},
                      {"loss_is_finite", result.finite},
                      {"interrupted", was_interrupted()},
                      {"output", result.folder},
                      {"files", Config::List(result.files.begin(), result.files.end())}});
}

std::string to_text(const TrainingResult& result, bool quiet) {
  std::string text;
  if (!result.test.empty()) text += fmt::format("test {}\n", cli::to_text(result.test));
  text += fmt::format("{:.0f} samples/s in training, {:.1f} s in all", result.samples_per_second,
                      result.seconds);
  if (quiet) text += fmt::format("\ntime: {}", result.account);  // else fit has said it
  if (!result.files.empty())
    text += fmt::format("\nsaved in {}: {}", result.folder, fmt::join(result.files, ", "));
  return text;
}

void run(const TrainOptions& options, Invocation& invocation) {
  auto overrides = options.recipe.changes();
  if (!options.out.empty()) overrides.push_back(fmt::format("output.folder=\"{}\"", options.out));
  const Recipe recipe(options.recipe.path, overrides);
  const bool silent = invocation.json || options.quiet;
  const TrainingResult result =
      train(recipe, {.verbose = silent ? 0 : 2, .callbacks = {pass_on_interrupt()}});
  invocation.print(to_config(result), to_text(result, options.quiet));
  warn_of_result(result.finite, static_cast<int64_t>(result.history.epoch.size()));
}

}  // namespace

void add_train(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, invocation, "train", "train the network of a recipe or a model file");
  auto options = std::make_shared<TrainOptions>();
  options->recipe.add_to(*command);
  options->recipe.add_device_to(*command);
  command->add_flag("--quiet", options->quiet, "no progress, only the result");
  auto model = std::make_shared<TrainModelOptions>();
  {
    const OptionsOf recipes(*command, recipe_options);
    command->add_option("--out", options->out, "the output folder, instead of the recipe's");
  }
  {
    const OptionsOf models(*command, model_options);
    model->add_to(*command);
  }
  command->footer(
      "The output folder of a recipe gets best.safetensors, last.safetensors, history.json, "
      "log.csv and recipe.toml after every epoch.\n"
      "A model file is trained on --x and --y, with what it was compiled with, and saved by "
      "--save.\n"
      "Ctrl-C ends the epoch, saves and exits with 130; a second one exits at once.");
  command->callback([command, options, model, &invocation] {
    check_options(*command, options->recipe.path);
    if (!is_model_file(options->recipe.path)) return run(*options, invocation);
    model->path = options->recipe.path;
    model->device = options->recipe.device;
    if (invocation.json || options->quiet) model->verbose = 0;
    train_model(*model, invocation);
  });
}

}  // namespace stoker::cli
