#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "interrupt.h"
#include "model_file.h"
#include "recipe_options.h"

namespace stoker::cli {
namespace {

struct EvaluateOptions {
  RecipeOptions recipe;
  std::string weights, part = "test";
  DataOptions data;
  CompileOptions compile;
};

void print(const Logs& logs, Invocation& invocation) {
  if (!was_interrupted()) invocation.print(cli::to_config(logs), cli::to_text(logs));
}

void run_model(const EvaluateOptions& options, Invocation& invocation) {
  const std::string& path = options.recipe.path;
  Model model = open_model(path, options.recipe.device, options.compile);
  require_compiled(model, path);
  check_counts(model, options.data.x, options.data.y);
  const Arrays x = load_arrays(options.data.x), y = load_arrays(options.data.y);
  check_samples(model, x, options.data.x);
  print(model.evaluate(x, y,
                       {.batch_size = options.data.batch_size,
                        .verbose = 0,
                        .sample_weight = load_arrays(options.data.sample_weight)}),
        invocation);
}

void run_evaluate(const EvaluateOptions& options, Invocation& invocation) {
  const Recipe recipe = options.recipe.load();
  require_weights(recipe, options.weights);
  const auto model = recipe.make_model();
  if (!model->compiled())
    throw InvalidArgument("\"compile\" is missing: evaluate needs the loss and the metrics.");
  if (!options.weights.empty()) model->load_weights(options.weights);
  const ValidationData data = recipe.used_data(options.part, model.get());
  const EvaluateArgs args{
      .batch_size = options.data.batch_size, .verbose = 0, .sample_weight = data.sample_weight};
  print(data.dataset ? model->evaluate(*data.dataset, {.verbose = 0})
                     : model->evaluate(data.x, data.y, args),
        invocation);
}

}  // namespace

void add_evaluate(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "evaluate", "compute loss and metrics on data");
  auto options = std::make_shared<EvaluateOptions>();
  options->recipe.add_to(*command);
  options->recipe.add_device_to(*command);
  {
    const OptionsOf recipes(*command, recipe_options);
    command->add_option("--weights", options->weights, "the file of weights that train has saved")
        ->type_name("FILE");
    command->add_option("--data", options->part, "which part of the recipe's data")
        ->check(CLI::IsMember({"train", "validation", "test"}))
        ->capture_default_str();
  }
  options->data.add_batch_size_to(*command);
  {
    const OptionsOf models(*command, model_options);
    options->data.add_x_to(*command);
    options->data.add_y_to(*command);
    options->compile.add_to(*command);
  }
  command->footer(
      "Examples:\n"
      "  stoker evaluate trained.keras --x x.npy --y y.npy\n"
      "  stoker evaluate recipe.toml --weights runs/recipe/best.safetensors");
  command->callback([command, options, &invocation] {
    check_options(*command, options->recipe.path);
    if (is_model_file(options->recipe.path)) return run_model(*options, invocation);
    run_evaluate(*options, invocation);
  });
}

}  // namespace stoker::cli
