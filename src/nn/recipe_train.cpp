#include <chrono>
#include <cmath>

#include "nn/model_impl.h"
#include "nn/recipe_parts.h"
#include "nn/run_folder.h"
#include "nn/test_loop.h"
#include "stoker/recipe.h"

namespace stoker {
namespace {

bool all_finite(const History& history) {
  for (const auto& [name, values] : history.history)
    for (double value : values)
      if (!std::isfinite(value)) return false;
  return true;
}

}  // namespace

TrainingResult train(const Recipe& recipe, const TrainingOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto model = recipe.make_model();
  if (!model->compiled())
    throw InvalidArgument("\"compile\" is missing: a model needs a loss to be trained.",
                          "add [compile] with optimizer, loss and metrics.");
  FitArgs args = recipe.make_fit_args();
  if (!recipe.has_data("train")) throw InvalidArgument("\"data.train\" is missing.");
  const nn::RunFolder folder(recipe.output_folder());
  const auto recorder =
      std::make_shared<nn::RunRecorder>(folder, recipe.monitor(), recipe.to_toml());

  const ValidationData data = recipe.load_data("train");
  if (recipe.has_data("validation")) args.validation_data = recipe.load_data("validation");
  args.sample_weight = data.sample_weight;
  args.verbose = std::min(args.verbose, options.verbose);
  args.callbacks.push_back(recorder);
  args.callbacks.insert(args.callbacks.end(), options.callbacks.begin(), options.callbacks.end());

  TrainingResult result;
  result.folder = folder.path();
  result.history = model->fit(data.x, data.y, args);
  result.account = model->account();
  result.samples_per_second = model->impl().samples_per_second;
  result.finite = all_finite(result.history);
  if (recipe.has_data("test") && !nn::interrupted()) {
    const ValidationData test = recipe.load_data("test");
    result.test = model->evaluate(test.x, test.y,
                                  {.batch_size = model->impl().batch_size,
                                   .verbose = 0,
                                   .sample_weight = test.sample_weight});
  }
  result.files = recorder->files();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace stoker
