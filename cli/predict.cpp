#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "interrupt.h"
#include "recipe_options.h"
#include "stoker/io.h"

namespace stoker::cli {
namespace {

struct PredictOptions {
  RecipeOptions recipe;
  std::string weights, out;
  std::vector<std::string> x;
  int64_t batch_size = 32;
};

void save(const std::string& path, const std::vector<Array>& outputs) {
  if (outputs.size() == 1 && !path.ends_with(".npz")) return save_npy(path, outputs[0]);
  if (!path.ends_with(".npz"))
    throw InvalidArgument(
        fmt::format("the model has {} outputs, and \"{}\" can hold one.", outputs.size(), path),
        "give --out a name that ends in .npz.");
  NamedArrays named;
  for (size_t i = 0; i < outputs.size(); ++i)
    named.emplace_back(fmt::format("output_{}", i), outputs[i]);
  save_npz(path, named);
}

void run(const PredictOptions& options, Invocation& invocation) {
  const Recipe recipe = options.recipe.load();
  const auto model = recipe.make_model();
  model->load_weights(options.weights);
  Arrays x;
  for (const auto& path : options.x) x.push_back(load_array(path));
  auto outputs = model->predict_all(x, {.batch_size = options.batch_size});
  for (Array& output : outputs)  // numpy's files have no bfloat16
    if (output.dtype() == DType::bfloat16) output = output.astype(DType::float32);
  if (was_interrupted()) return;
  save(options.out, outputs);
  Config::List shapes;
  std::string text = fmt::format("saved {}:", options.out);
  for (const Array& output : outputs) {
    shapes.emplace_back(Config::List(output.shape().begin(), output.shape().end()));
    text += " " + to_string(output.type());
  }
  invocation.print(Config::map({{"out", options.out}, {"shapes", shapes}}), text);
}

}  // namespace

void add_predict(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, invocation, "predict", "what a trained network says to data");
  auto options = std::make_shared<PredictOptions>();
  options->recipe.add_to(*command);
  options->recipe.add_device_to(*command);
  command->add_option("--weights", options->weights, "a safetensors file of train")->required();
  command->add_option("--x", options->x, "the input: npy, npz:member, IDX or CSV; one per input")
      ->required();
  command->add_option("--out", options->out, "npy for the output; npz for several")->required();
  command->add_option("--batch", options->batch_size, "samples a step")->capture_default_str();
  command->callback([options, &invocation] { run(*options, invocation); });
}

}  // namespace stoker::cli
