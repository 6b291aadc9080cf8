#include "train_model.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "at_least.h"
#include "interrupt.h"
#include "saved_file.h"
#include "stoker/io.h"

namespace stoker::cli {
namespace {

constexpr size_t longest_class = 9;  // digits

std::map<int64_t, double> read_class_weight(const std::string& text) {
  std::map<int64_t, double> weights;
  if (text.empty()) return weights;
  const Config table = text.starts_with('{') ? parse_json(text, "--class-weight") : load_json(text);
  for (const auto& [key, value] : table.as_map()) {
    if (key.empty() || key.size() > longest_class ||
        key.find_first_not_of("0123456789") != key.npos)
      throw InvalidArgument(fmt::format("--class-weight has \"{}\", which is no class.", key),
                            R"(keys are classes: {"0": 1.0, "1": 2.5}.)");
    weights[std::stoll(key)] = value.as_double();
  }
  return weights;
}

void check_save(const std::string& path) {
  if (what_is_held(path) == Holds::description)
    throw InvalidArgument(fmt::format("--save: \"{}\" would hold nothing that was trained.", path),
                          ".keras and .h5 hold the model, .weights.h5, .safetensors and .npz its "
                          "weights.");
}

// Everything that can be said before data is read.
void check(const TrainModelOptions& o, const Model& model) {
  require_compiled(model, o.path);
  check_counts(model, o.data.x, o.data.y);
  if (!o.validation_x.empty() || !o.validation_y.empty())
    check_counts(model, o.validation_x, o.validation_y, "--validation-");
  if (!o.save.empty()) check_save(o.save);
  for (const auto& path : {o.save, o.history})
    if (!path.empty()) ensure_writable(path);
}

FitArgs make_fit_args(const TrainModelOptions& o, const Model& model) {
  FitArgs args{.batch_size = o.data.batch_size,
               .epochs = o.epochs,
               .initial_epoch = o.initial_epoch,
               .verbose = o.verbose,
               .callbacks = {pass_on_interrupt()},
               .validation_split = o.validation_split,
               .shuffle = o.shuffle,
               .class_weight = read_class_weight(o.class_weight),
               .sample_weight = load_arrays(o.data.sample_weight),
               .steps_per_epoch = o.steps_per_epoch,
               .validation_freq = o.validation_freq};
  if (!o.validation_x.empty()) {
    args.validation_data = ValidationData{load_arrays(o.validation_x), load_arrays(o.validation_y),
                                          load_arrays(o.validation_sample_weight)};
    check_samples(model, args.validation_data->x, o.validation_x);
  }
  return args;
}

bool all_finite(const History& history) {
  for (const auto& [name, values] : history.history)
    for (double value : values)
      if (!std::isfinite(value)) return false;
  return true;
}

}  // namespace

void TrainModelOptions::add_to(CLI::App& command) {
  const auto list = [&](const char* name, std::vector<std::string>& paths, const char* text) {
    command.add_option(name, paths, text)->type_name("FILE")->expected(1)->take_all();
  };
  data.add_x_to(command);
  data.add_batch_size_to(command);
  data.add_y_to(command);
  compile.add_to(command);
  list("--validation-x", validation_x, "an input to validate on after each epoch");
  list("--validation-y", validation_y, "its targets");
  list("--validation-sample-weight", validation_sample_weight, "its weights");
  command
      .add_option("--validation-split", validation_split, "the last part of the data, held back")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--validation-freq", validation_freq, "epochs between validations")
      ->check(at_least(1));
  command.add_option("--epochs", epochs, "when to end")->check(at_least(0));
  command.add_option("--initial-epoch", initial_epoch, "where to begin counting")
      ->check(at_least(0));
  command.add_option("--steps-per-epoch", steps_per_epoch, "batches an epoch")->check(at_least(1));
  command.add_option("--shuffle", shuffle, "each epoch in another order")->capture_default_str();
  command.add_option("--class-weight", class_weight, R"({"0": 1.0, "1": 2.5}, or a JSON file)");
  command
      .add_option("--save", save,
                  "the trained model (.keras, .h5) or its weights "
                  "(.weights.h5, .safetensors, .npz)")
      ->type_name("FILE");
  command.add_option("--history", history, "each epoch's metrics, a JSON file")->type_name("FILE");
  command.add_option("--seed", seed, "of what is random");
  command.add_option("--verbose", verbose, "0 silent, 1 a progress line, 2 a line an epoch")
      ->check(CLI::Range(0, 2));
}

void train_model(const TrainModelOptions& options, Invocation& invocation) {
  if (options.seed) set_random_seed(*options.seed);
  Model model = open_model(options.path, options.device, options.compile);
  check(options, model);
  const Arrays x = load_arrays(options.data.x), y = load_arrays(options.data.y);
  check_samples(model, x, options.data.x);
  const History history = model.fit(x, y, make_fit_args(options, model));
  const Config table = to_config(history);
  if (!options.save.empty()) save_as(model, options.save);
  if (!options.history.empty()) save_json(options.history, table);
  const bool finite = all_finite(history);
  invocation.print(Config::map({{"epochs", static_cast<int64_t>(history.epoch.size())},
                                {"history", table},
                                {"account", model.account()},
                                {"loss_is_finite", finite},
                                {"interrupted", was_interrupted()},
                                {"save", options.save}}),
                   options.save.empty() ? "nothing was saved: there is no --save."
                                        : fmt::format("saved {}", options.save));
  warn_of_result(finite, static_cast<int64_t>(history.epoch.size()));
}

}  // namespace stoker::cli
