#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iterator>
#include <optional>

#include "at_least.h"
#include "command.h"
#include "interrupt.h"
#include "key_options.h"
#include "recipe_options.h"
#include "stoker/say.h"
#include "train_processes.h"

namespace stoker::cli {
namespace {

using Kind = KeyOptions::Kind;

struct TrainOptions {
  RecipeOptions recipe;
  KeyOptions keys;
  bool quiet = false, headroom = false, apply = false, live = false;
  std::string report;
  ProfileSteps profile;
  int processes = 0;  // 0: as in the recipe
  void add_to(CLI::App& command);
  void add_data_to(CLI::App& command);
  void add_compile_to(CLI::App& command);
  void add_fit_to(CLI::App& command);
  void add_output_to(CLI::App& command);
  void add_report_to(CLI::App& command);
};

constexpr ProfileSteps some_steps{10, 20};

// "10:20"; "": some steps.
ProfileSteps parse_steps(const std::string& text) {
  if (text.empty()) return some_steps;
  ProfileSteps steps;
  const char* const end = text.data() + text.size();
  const auto [colon, from] = std::from_chars(text.data(), end, steps.from);
  const char* const next = colon == end ? end : colon + 1;
  const auto [rest, to] = std::from_chars(next, end, steps.to);
  const bool understood = from == std::errc() && to == std::errc() && *colon == ':' && rest == end;
  if (!understood || steps.from < 1 || steps.to < steps.from)
    throw CLI::ValidationError(
        "--profile",
        fmt::format("\"{}\" is not understood: two numbers of steps, such as 10:20", text));
  return steps;
}

ProfileSteps steps_of(const TrainOptions& options) {
  return options.profile.to == 0 && !options.report.empty() ? some_steps : options.profile;
}

void TrainOptions::add_to(CLI::App& command) {
  recipe.add_to(command);
  // Applies to model files, too.
  command.get_option("--set")->group(command.get_option("--json")->get_group());
  recipe.add_device_to(command);
  command.add_flag("--quiet", quiet, "print no progress, only the result");
  command.add_flag("--headroom", headroom,
                   "do not train: measure what a perfect input pipeline and larger batches would "
                   "give");
  command.add_flag("--apply", apply,
                   "first try larger batches and, on a GPU, mixed precision, for a few steps each, "
                   "and keep what is faster");
  command.add_flag("--live", live, "show how busy the device is and the loss while it trains");
  command
      .add_option("--processes", processes,
                  "number of processes on this machine that train together, each with its part of "
                  "every batch (default: the recipe's distribution.processes, else 1)")
      ->check(at_least(1));
  add_data_to(command);
  add_compile_to(command);
  add_fit_to(command);
  add_output_to(command);
}

void TrainOptions::add_data_to(CLI::App& command) {
  const auto source = [&](const char* name, const char* key, Kind kind, const char* type,
                          const char* text) {
    keys.add(command, name, key, kind, text)->type_name(type)->group("Data");
  };
  source("--data", "data.train", Kind::text, "SOURCE",
         "data with its targets: a folder of images or texts, a CSV, TFRecord, IDX, tar, npz or "
         "packed file");
  source("--validation-data", "data.validation", Kind::text, "SOURCE",
         "the same, to validate on after each epoch");
  source("--target", "data.target", Kind::text, "NAME",
         "the column, feature or part of SOURCE to predict (default: the one called label, target, "
         "class or y)");
  source("--image-size", "data.image_size", Kind::value, "SIZE",
         "height and width of images: 224 or [224, 192] (default: none)");
  const auto files = [&](const char* name, const char* key, const char* text) {
    keys.add(command, name, key, Kind::texts, text)->type_name("FILE")->group("Data");
  };
  files("--x", "data.train.x",
        "the file of an input: npy, npz:member, IDX or CSV. With several inputs: once for each, in "
        "their order");
  files("--y", "data.train.y",
        "the file of the targets. With several outputs: once for each, in their order");
  files("--sample-weight", "data.train.sample_weight",
        "the file of a weight for each sample (default: all weigh the same)");
  files("--validation-x", "data.validation.x",
        "the file of an input to validate on after each epoch");
  files("--validation-y", "data.validation.y", "the file of its targets");
  files("--validation-sample-weight", "data.validation.sample_weight",
        "the file of a weight for each of its samples");
}

void TrainOptions::add_compile_to(CLI::App& command) {
  const auto object = [&](const char* name, const char* key, Kind kind, const char* text) {
    keys.add(command, name, key, kind, text)->type_name("NAME")->group("Compile");
  };
  object("--loss", "compile.loss", Kind::object,
         "the loss; with several outputs one for all, or once for each (default: the file's)");
  object("--optimizer", "compile.optimizer", Kind::object,
         "the optimizer, without the state that the file has (default: the file's)");
  object("--metric", "compile.metrics", Kind::list,
         "a metric; may be repeated (default: the file's)");
  keys.add(command, "--learning-rate", "compile.learning_rate", Kind::value,
           "the learning rate (default: the optimizer's)")
      ->check(CLI::Number)
      ->group("Compile");
}

void TrainOptions::add_fit_to(CLI::App& command) {
  const auto add = [&](const char* name, const char* key, const std::string& text) {
    return keys.add(command, name, key, Kind::value, text)->group("Fit");
  };
  add("--epochs", "fit.epochs", "number of epochs (default: 1)")->check(at_least(0));
  add("--batch-size,--batch", "fit.batch_size",
      "number of samples in a step, or auto: chosen from the memory (default: 32)")
      ->check(at_least(1, "auto"));
  add("--initial-epoch", "fit.initial_epoch",
      "number of the first epoch, when training is continued (default: 0)")
      ->check(at_least(0));
  add("--steps-per-epoch", "fit.steps_per_epoch",
      "number of batches in an epoch (default: all of the data)")
      ->check(at_least(1));
  add("--validation-split", "fit.validation_split",
      "the fraction of the data, taken from its end, to validate on instead of "
      "training (default: 0)")
      ->check(share_below_one());
  add("--validation-freq", "fit.validation_freq",
      "validate after every so many epochs (default: 1)")
      ->check(at_least(1));
  add("--shuffle", "fit.shuffle", "use the samples in another order in each epoch (default: true)")
      ->check(CLI::IsMember({"true", "false"}));
  keys.add(command, "--class-weight", "fit.class_weight", Kind::table,
           R"(weights of classes: {"0": 1.0, "1": 2.5}, or a JSON file of that form)")
      ->type_name("WEIGHTS")
      ->group("Fit");
  keys.add(command, "--callbacks", "fit.callbacks", Kind::list,
           R"(a callback: its name, or '{class_name = "EarlyStopping", patience = 3}'; may be )"
           "repeated")
      ->type_name("CALLBACK")
      ->group("Fit");
  add("--seed", "seed",
      "seed of shuffling, dropout and other random numbers (default: the same in each run)")
      ->type_name("N");
  add("--verbose", "fit.verbose",
      "0: silent, 1: a progress line, 2: one line per epoch (default: 1)")
      ->check(CLI::IsMember({"0", "1", "2"}));
}

void TrainOptions::add_output_to(CLI::App& command) {
  const auto add = [&](const char* name, const char* key, const char* type,
                       const std::string& text) {
    keys.add(command, name, key, Kind::text, text)->type_name(type)->group("Output");
  };
  add("--out", "output.folder", "FOLDER",
      "the folder for the best and the last weights, history and log (default: runs/NAME of a "
      "recipe, none of a model file)");
  add("--save", "output.save", "FILE",
      "the file to write: the trained model (.keras, .h5) or its weights (.weights.h5, "
      ".safetensors, .npz)");
  add("--history", "output.history", "FILE", "the JSON file to write each epoch's metrics to");
  add("--checkpoint", "checkpoint.folder", "FOLDER",
      "the folder for checkpoints, from which --resume continues exactly; removed when "
      "training has finished");
  keys.add(command, "--checkpoint-freq", "checkpoint.save_freq", Kind::value,
           "number of batches between two checkpoints, or epoch (default: epoch)")
      ->check(at_least(1, "epoch"))
      ->group("Output");
  keys.add_flag(command, "--resume", "checkpoint.resume",
                "continue from the checkpoint in that folder, if there is one");
  command.get_option("--resume")->group("Output");
  add_report_to(command);
}

void TrainOptions::add_report_to(CLI::App& command) {
  command
      .add_option("--report", report,
                  "the page to write: where the time went, and why; the record of the run is saved "
                  "next to it as JSON. Profiles steps 10 to 20 unless --profile is given")
      ->type_name("FILE.html")
      ->group("Output");
  command
      .add_option_function<std::string>(
          "--profile", [this](const std::string& text) { profile = parse_steps(text); },
          "steps whose calls are timed one by one, first and last, counted from 1 (default: 10:20)")
      ->expected(0, 1)
      ->type_name("STEPS")
      ->group("Output");
}

Config training_config(const TrainingResult& result) {
  return Config::map({{"epochs", static_cast<int64_t>(result.history.epoch.size())},
                      {"history", cli::to_config(result.history)},
                      {"test", cli::to_config(result.test)},
                      {"samples_per_second", number(result.samples_per_second)},
                      {"seconds", number(result.seconds)},
                      {"account", result.account},
                      {"loss_is_finite", result.finite},
                      {"interrupted", was_interrupted()},
                      {"interrupted_at", interrupted_at(result.history)},
                      {"resumed", result.resumed},
                      {"output", result.folder},
                      {"files", Config::List(result.files.begin(), result.files.end())},
                      {"unsaved", result.unsaved},
                      {"save", result.saved},
                      {"report", result.report}});
}

Logs last_epoch(const History& history) {
  Logs logs;
  for (const auto& [name, values] : history.history) logs.set(name, values.back());
  return logs;
}

std::string to_text(const TrainingResult& result, bool quiet) {
  std::string text;
  if (quiet && !result.resumed.empty())
    text += result.resumed + "\n";  // otherwise fit has printed it
  if (quiet && !result.history.epoch.empty())
    text += fmt::format("epoch {} {}\n", result.history.epoch.back() + 1,
                        cli::to_text(last_epoch(result.history)));
  if (!result.test.empty()) text += fmt::format("test {}\n", cli::to_text(result.test));
  text += fmt::format("{:.0f} samples/s in training, {:.1f} s in all", result.samples_per_second,
                      result.seconds);
  if (quiet) text += fmt::format("\ntime: {}", result.account);  // otherwise fit has printed it
  if (!result.files.empty())
    text += fmt::format("\nsaved in {}: {}", result.folder, fmt::join(result.files, ", "));
  if (!result.saved.empty()) text += fmt::format("\nsaved {}", result.saved);
  if (!result.report.empty()) text += fmt::format("\nreport: {}", result.report);
  return text;
}

void warn_of_nan(const TrainingResult& result) {
  const std::string kept =
      result.kept_epoch > 0
          ? fmt::format("what is saved are the weights of epoch {}, the last finite ones",
                        result.kept_epoch)
          : "no finite weights were saved, and no file was changed";
  say(stderr,
      fmt::format("stoker: the loss became NaN or infinite in epoch {}, and training was stopped; "
                  "{}. Hint: look for numbers in the data that are not finite; else try a smaller "
                  "--learning-rate.\n",
                  result.history.epoch.empty() ? 1 : result.history.epoch.back() + 1, kept));
}

void run_headroom(const std::string& path, const std::vector<RecipeChange>& changes,
                  const Invocation& invocation) {
  const RecipeHeadroom found = measure_headroom(Recipe::with_changes(path, changes));
  Config::List sizes;
  for (const auto& size : found.headroom.sizes)
    sizes.push_back(Config::map({{"batch", size.batch}, {"step_seconds", size.step_seconds}}));
  invocation.print(Config::map({{"step_seconds", found.now.step_seconds},
                                {"fed_step_seconds", found.headroom.sizes.front().step_seconds},
                                {"sizes", sizes},
                                {"best_batch", found.headroom.best_batch},
                                {"largest_batch", found.headroom.largest_batch},
                                {"bfloat16_step_seconds", found.headroom.bfloat16_step_seconds},
                                {"verdict", found.now.verdict}}),
                   found.to_string());
}

// Reports what was tried, even if only the result is printed: the training is different then.
void apply(const std::string& path, std::vector<RecipeChange>& changes) {
  for (const TriedChange& tried : apply_advice(path, changes))
    say(stderr, fmt::format("apply: {}\n", tried.to_string()));
}

void run_train(const TrainOptions& options, Invocation& invocation) {
  std::vector<RecipeChange> changes = options.keys.changes();
  for (const auto& assignment : options.recipe.changes())
    changes.push_back(parse_change(assignment));
  const TrainProcesses processes{options.processes, options.headroom, options.apply};
  processes.check();
  if (options.headroom) return run_headroom(options.recipe.path, changes, invocation);
  const bool silent = invocation.json || options.quiet;
  const auto given = std::ssize(changes);
  if (options.apply) apply(options.recipe.path, changes);
  const Recipe recipe = Recipe::with_changes(options.recipe.path, changes);
  if (const auto status =
          processes.run(recipe, {changes.begin() + given, changes.end()}, invocation)) {
    invocation.status = *status;
    return;
  }
  const TrainingResult result = train(recipe, {.verbose = silent         ? 0
                                                          : options.live ? 3
                                                                         : 2,
                                               .report = options.report,
                                               .profile = steps_of(options)});
  invocation.print(training_config(result), to_text(result, options.quiet));
  if (!result.finite) {
    warn_of_nan(result);
    invocation.status = failure;
  }
  if (!result.unsaved.empty()) {
    say(stderr, fmt::format("stoker: the last weights are not in \"{}\": {}\n", result.folder,
                            result.unsaved));
    invocation.status = failure;
  }
  warn_of_interrupt(result.history);
}

}  // namespace

void add_train(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, invocation, "train", "train the network of a recipe or of a model file");
  auto options = std::make_shared<TrainOptions>();
  options->add_to(*command);
  command->footer(
      "Examples:\n"
      "  stoker train examples/recipes/fashion_mnist.toml --epochs 20\n"
      "  stoker train model.keras --data images/train --image-size 224 --save "
      "trained.keras\n"
      "\n"
      "Options set keys of the recipe, as --set does: --epochs 3 is --set "
      "fit.epochs=3. A model file is treated like a recipe that names it; it is "
      "trained with its compile settings.\n"
      "The output folder gets best.safetensors, last.safetensors, history.json, "
      "log.csv, recipe.toml and run.json after every epoch; stoker report makes a page "
      "of run.json.\n"
      "A loss of NaN ends the training with status 1; files keep the last finite "
      "weights. The loss is checked when the progress line is redrawn and after every "
      "epoch, so a part of an epoch may be trained for nothing (callback TerminateOnNaN: "
      "at most one batch).\n"
      "samples/s is the number of samples divided by the wall time from the first step "
      "to the end, without validation.\n"
      "Ctrl-C ends the training after the current batch, saves and exits with 130; a "
      "second one exits at once. SIGTERM (143), SIGUSR1 (138), a closed terminal (129) "
      "and a closed pipe (141) do the same.");
  command->callback([options, &invocation] { run_train(*options, invocation); });
}

}  // namespace stoker::cli
