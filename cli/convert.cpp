#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "model_file.h"
#include "saved_file.h"
#include "stoker/io.h"
#include "stoker/recipe.h"

namespace stoker::cli {
namespace {

struct ConvertOptions {
  std::string from, to, weights;
};

Model read_description(const Config& config) {
  Model model = Model::from_config(config);
  const Config* settings = config.find("compile_config");
  if (settings && settings->is_map() && !settings->as_map().empty())
    model.compile_from_config(*settings, false);
  return model;
}

Model read(const ConvertOptions& options) {
  if (is_model_file(options.from)) return load_model(options.from, {.needs_loss = false});
  if (options.from.ends_with(".json")) return read_description(load_json(options.from));
  return std::move(*Recipe(options.from).make_model());
}

// Converts a model to a model file, to weights or to its config.
void convert(const ConvertOptions& options) {
  what_is_held(options.to);  // refuses an unsupported name before anything is read
  ensure_writable(options.to);
  Model model = read(options);
  if (!options.weights.empty()) model.load_weights(options.weights);
  save_as(model, options.to);
}

}  // namespace

void add_convert(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, invocation, "convert", "convert a model file to another format");
  auto options = std::make_shared<ConvertOptions>();
  command->add_option("from", options->from, "the model to read: .keras, .h5, .json or a recipe")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "to", options->to,
          "the file to write: a model (.keras, .h5), its weights (.weights.h5, .safetensors, "
          ".npz) or its description (.json)")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--weights", options->weights,
                   "a file of weights to load into the model first (default: the model's own)")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  stoker convert old.h5 new.keras\n"
      "  stoker convert recipe.toml model.keras --weights runs/recipe/best.safetensors");
  command->callback([options, &invocation] {
    convert(*options);
    invocation.print(Config::map({{"from", options->from}, {"to", options->to}}),
                     fmt::format("saved {}", options->to));
  });
}

}  // namespace stoker::cli
