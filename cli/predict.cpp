#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "interrupt.h"
#include "model_file.h"
#include "recipe_options.h"
#include "stoker/device.h"
#include "stoker/distribution.h"
#include "stoker/io.h"

namespace stoker::cli {
namespace {

struct PredictOptions {
  RecipeOptions recipe;
  std::string weights;
  std::vector<std::string> out;
  DataOptions data;
};

void save(const std::vector<std::string>& paths, const std::vector<Array>& outputs) {
  if (distribution::process_id() > 0) return;
  if (paths.size() == 1 && paths[0].ends_with(".npz")) {
    NamedArrays named;
    for (size_t i = 0; i < outputs.size(); ++i)
      named.emplace_back(fmt::format("output_{}", i), outputs[i]);
    return save_npz(paths[0], named);
  }
  for (size_t i = 0; i < outputs.size(); ++i) save_npy(paths[i], outputs[i]);
}

void check_out(const std::vector<std::string>& paths, size_t outputs) {
  const bool one_archive = paths.size() == 1 && paths[0].ends_with(".npz");
  if (!one_archive && paths.size() != outputs)
    throw InvalidArgument(fmt::format("the model has {} outputs, but --out was given {} times.",
                                      outputs, paths.size()),
                          "give a .npy file for each output, or one name that ends in .npz.");
  for (const auto& path : paths) {
    if (!one_archive && !path.ends_with(".npy"))
      throw InvalidArgument(fmt::format("--out \"{}\" has no known file extension.", path),
                            "a name that ends in .npy, or one for all outputs in .npz.");
    ensure_writable(path);
  }
}

Model open_model(const PredictOptions& options, const CLI::App& command) {
  const std::string& path = options.recipe.path;
  check_options(command, path);
  if (is_model_file(path)) {
    std::optional<Device> scope;  // the model is then placed there
    if (!options.recipe.device.empty()) scope.emplace(required_device(options.recipe.device));
    return load_model(path, {.compile = false});
  }
  const Recipe recipe = options.recipe.load();
  require_weights(recipe, options.weights);
  auto model = recipe.make_model();
  if (!options.weights.empty()) model->load_weights(options.weights);
  return std::move(*model);
}

void run_predict(const PredictOptions& options, const CLI::App& command, Invocation& invocation) {
  Model model = open_model(options, command);
  check_counts(model, options.data.x);
  if (const size_t outputs = model.outputs().size()) check_out(options.out, outputs);
  const Arrays x = load_arrays(options.data.x);
  check_samples(model, x, options.data.x);
  auto outputs = model.predict_all(x, {.batch_size = options.data.batch_size});
  for (Array& output : outputs)  // NumPy's files have no bfloat16
    if (output.dtype() == DType::bfloat16) output = output.astype(DType::float32);
  if (was_interrupted()) return;
  check_out(options.out, outputs.size());
  save(options.out, outputs);
  Config::List shapes;
  std::string text = fmt::format("saved {}:", fmt::join(options.out, ", "));
  for (const Array& output : outputs) {
    shapes.emplace_back(Config::List(output.shape().begin(), output.shape().end()));
    text += " " + to_string(output.type());
  }
  const Config out = options.out.size() == 1
                         ? Config(options.out[0])
                         : Config(Config::List(options.out.begin(), options.out.end()));
  invocation.print(Config::map({{"out", out}, {"shapes", shapes}}), text);
}

}  // namespace

void add_predict(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "predict",
                                  "compute the outputs of a trained network and save them");
  auto options = std::make_shared<PredictOptions>();
  options->recipe.add_to(*command);
  options->recipe.add_device_to(*command);
  {
    const OptionsOf recipes(*command, recipe_options);
    command->add_option("--weights", options->weights, "the file of weights that train has saved")
        ->type_name("FILE");
  }
  options->data.add_x_to(*command);
  options->data.add_batch_size_to(*command);
  command
      ->add_option(
          "--out", options->out,
          "the file to write: an npy file for each output, in their order, or one npz file for all")
      ->required()
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  command->get_option("--x")->required();
  command->footer(
      "Examples:\n"
      "  stoker predict trained.keras --x x.npy --out y.npy\n"
      "  stoker predict recipe.toml --weights runs/recipe/best.safetensors --x x.npy --out y.npy");
  command->callback(
      [command, options, &invocation] { run_predict(*options, *command, invocation); });
}

}  // namespace stoker::cli
