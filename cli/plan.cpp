#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "at_least.h"
#include "command.h"
#include "model_file.h"
#include "recipe_options.h"
#include "stoker/parallel_forecast.h"
#include "stoker/say.h"

namespace stoker::cli {
namespace {

struct PlanOptions {
  RecipeOptions recipe;
  CompileOptions compile;  // for a model file
  int64_t batch_size = 0;  // 0: the recipe's
  int processes = 1, machines = 1;
  double bandwidth = 0;  // GB/s; 0: a typical value
};

Config forecast_config(const MemoryForecast& forecast) {
  return Config::map({{"batch_size", forecast.batch_size},
                      {"device", forecast.device},
                      {"parameters", forecast.parameters},
                      {"gradients", forecast.gradients},
                      {"optimizer", forecast.optimizer},
                      {"activations", forecast.activations},
                      {"workspace", forecast.workspace},
                      {"inputs", forecast.inputs},
                      {"other", forecast.other},
                      {"context", forecast.context},
                      {"total", forecast.total()},
                      {"recomputes", forecast.recomputes},
                      {"device_free", forecast.device_free},
                      {"device_total", forecast.device_total},
                      {"holders", forecast.holders},
                      {"fits", forecast.fits()},
                      {"largest_batch", forecast.largest_batch}});
}

// The loss hardly affects the memory: an unsupported one is replaced.
Model open_to_plan(const std::string& path, const std::string& device, CompileOptions compile) {
  try {
    return open_model(path, device, compile);
  } catch (const Unsupported&) {
    if (compile.loss.empty()) compile.loss = {"mean_squared_error"};
    if (compile.metrics.empty()) compile.metrics = {"[]"};
    Model model = open_model(path, device, compile);  // throws if there was another reason
    say(stderr,
        fmt::format("Warning: the loss or a metric of \"{}\" is not known here; planned with "
                    "{} and without it.\n",
                    path, compile.loss.front()));
    return model;
  }
}

MemoryForecast forecast_model(const PlanOptions& options) {
  const std::string& path = options.recipe.path;
  Model model = open_to_plan(path, options.recipe.device, options.compile);
  require_compiled(model, path);
  MemoryArgs args;
  if (options.batch_size > 0) args.batch_size = options.batch_size;
  return model.memory(args);
}

// For the training data of the recipe, if any: its types and number of samples matter.
MemoryForecast forecast(const PlanOptions& options) {
  const Recipe recipe = options.recipe.load();
  const auto model = recipe.make_model();
  if (!model->compiled())
    throw InvalidArgument("\"compile\" is missing: a plan needs the loss and the optimizer.");
  const FitArgs fit = recipe.make_fit_args();
  MemoryArgs args{.batch_size = options.batch_size > 0 ? options.batch_size : fit.batch_size,
                  .shuffle = fit.shuffle,
                  .recompute = fit.recompute};
  if (!recipe.has_data("train")) return model->memory(args);
  args.validation_split = fit.validation_split;
  args.validation_batch_size = fit.validation_batch_size;
  if (recipe.has_data("validation"))
    args.validation_data = recipe.load_data("validation", model.get());
  const ValidationData data = recipe.load_data("train", model.get());
  if (data.dataset) return model->memory(args);
  return model->memory(data.x, data.y, args);
}

Config parallel_config(const distribution::ParallelForecast& at) {
  return Config::map(
      {{"processes", int64_t{at.args.processes}},
       {"machines", int64_t{at.args.machines}},
       {"batch_size", at.args.batch_size},
       {"rows_of_part", (at.args.batch_size + at.args.processes - 1) / at.args.processes},
       {"device", at.device},
       {"reduced_bytes", at.reduced_bytes},
       {"seconds_of_one", at.one},
       {"seconds_of_part", at.part},
       {"seconds_of_part_without_sums", at.part_alone},
       {"seconds_of_communication", at.communication},
       {"bandwidth", at.args.bandwidth},
       {"latency", at.latency},
       {"seconds_together", at.together()},
       {"speedup", at.speedup()},
       {"efficiency", at.efficiency()},
       {"faster_on_one", at.speedup() < 1}});
}

// These would not change the forecast of memory.
void check_is_for_processes(const PlanOptions& options) {
  if (options.processes > 1) return;
  const bool of_machines = options.machines > 1;
  if (of_machines || options.bandwidth > 0)
    throw InvalidArgument(
        fmt::format("{} is given, but --processes is {}.",
                    of_machines ? "--machines" : "--bandwidth", options.processes),
        "give the number of processes, as in --processes 8.");
}

void plan_processes(const PlanOptions& options, const Invocation& invocation) {
  distribution::ForecastArgs args{.processes = options.processes,
                                  .machines = options.machines,
                                  .batch_size = options.batch_size,
                                  .bandwidth = options.bandwidth * 1e9};
  const auto print = [&](Model& model) {
    const auto at = distribution::forecast(model, args);
    invocation.print(parallel_config(at), at.to_string());
  };
  if (is_model_file(options.recipe.path)) {
    if (args.batch_size == 0) args.batch_size = 32;
    Model model = open_to_plan(options.recipe.path, options.recipe.device, options.compile);
    return print(model);
  }
  const Recipe recipe = options.recipe.load();
  const int64_t batch = recipe.make_fit_args().batch_size;
  if (args.batch_size == 0) args.batch_size = batch == AUTO ? 32 : batch;
  print(*recipe.make_model());
}

}  // namespace

void add_plan(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, invocation, "plan",
                  "print how much memory training will take, and the largest batch that fits");
  auto options = std::make_shared<PlanOptions>();
  options->recipe.add_to(*command);
  options->recipe.add_device_to(*command);
  command
      ->add_option("--batch-size", options->batch_size,
                   "number of samples in a step (default: the recipe's, or 32 for a model file)")
      ->check(at_least(1));
  command
      ->add_option("--processes", options->processes,
                   "predict the speed-up of this many processes instead (default: 1)")
      ->check(at_least(1));
  command
      ->add_option("--machines", options->machines,
                   "on how many machines they would run (default: 1)")
      ->check(at_least(1));
  command
      ->add_option("--bandwidth", options->bandwidth,
                   "GB/s between two of them (default: 5 between CPUs, 200 between GPUs, 12.5 "
                   "between machines)")
      ->check(CLI::PositiveNumber.description("NUMBER"));
  {
    const OptionsOf model_files(*command, model_options);
    options->compile.add_to(*command);
  }
  command->footer(
      "Examples:\n  stoker plan recipe.toml --batch-size 256\n"
      "  stoker plan recipe.toml --processes 8 --machines 2");
  command->callback([command, options, &invocation] {
    const bool model = is_model_file(options->recipe.path);
    check_options(*command, options->recipe.path);
    check_is_for_processes(*options);
    if (options->processes > 1) return plan_processes(*options, invocation);
    const MemoryForecast plan = model ? forecast_model(*options) : forecast(*options);
    invocation.print(forecast_config(plan), plan.to_string());
  });
}

}  // namespace stoker::cli
