#include <CLI/CLI.hpp>

#include "command.h"
#include "model_file.h"
#include "recipe_options.h"

namespace stoker::cli {
namespace {

Config model_config(const Model& model) {
  Config::List layers;
  for (const LayerRef& layer : model.layers())
    layers.push_back(Config::map({{"name", layer->name()},
                                  {"class_name", layer->class_name()},
                                  {"params", layer->count_params()},
                                  {"config", layer->get_config()}}));
  int64_t trainable = 0;
  for (const Variable& variable : model.trainable_variables()) trainable += variable.shape().size();
  return Config::map({{"name", model.name()},
                      {"layers", layers},
                      {"params", model.count_params()},
                      {"trainable_params", trainable}});
}

}  // namespace

void add_summary(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, invocation, "summary", "print the layers of a recipe or a model file");
  auto options = std::make_shared<RecipeOptions>();
  options->add_to(*command);
  command->footer("Example: stoker summary model.keras");
  command->callback([command, options, &invocation] {
    if (is_model_file(options->path)) {
      check_options(*command, options->path);
      const Model model = load_model(options->path, {.needs_loss = false});
      return invocation.print(model_config(model), model.summary());
    }
    const auto model = options->load().make_model();
    invocation.print(model_config(*model), model->summary());
  });
}

}  // namespace stoker::cli
