#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "interrupt.h"
#include "recipe_options.h"

namespace stoker::cli {
namespace {

struct EvaluateOptions {
  RecipeOptions recipe;
  std::string weights, part = "test";
  int64_t batch_size = 32;
};

void run(const EvaluateOptions& options, Invocation& invocation) {
  const Recipe recipe = options.recipe.load();
  const auto model = recipe.make_model();
  if (!model->compiled())
    throw InvalidArgument("\"compile\" is missing: evaluate needs the loss and the metrics.");
  model->load_weights(options.weights);
  const ValidationData data = recipe.load_data(options.part);
  const Logs logs = model->evaluate(
      data.x, data.y,
      {.batch_size = options.batch_size, .verbose = 0, .sample_weight = data.sample_weight});
  if (!was_interrupted()) invocation.print(to_config(logs), to_text(logs));
}

}  // namespace

void add_evaluate(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "evaluate", "loss and metrics on the test data");
  auto options = std::make_shared<EvaluateOptions>();
  options->recipe.add_to(*command);
  options->recipe.add_device_to(*command);
  command->add_option("--weights", options->weights, "a safetensors file of train")->required();
  command->add_option("--data", options->part, "which data of the recipe")
      ->check(CLI::IsMember({"train", "validation", "test"}))
      ->capture_default_str();
  command->add_option("--batch", options->batch_size, "samples a step")->capture_default_str();
  command->callback([options, &invocation] { run(*options, invocation); });
}

}  // namespace stoker::cli
