#include "model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "at_least.h"
#include "recipe_options.h"
#include "stoker/device.h"
#include "stoker/io.h"

namespace stoker::cli {
namespace {

CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& list,
                      const std::string& description, const char* type) {
  return command.add_option(name, list, description)->type_name(type)->expected(1)->take_all();
}

// A name, or a JSON object or list.
Config name_or_json(const std::string& text, const char* option) {
  return text.starts_with('{') || text.starts_with('[') ? parse_json(text, option) : Config(text);
}

Config list_of(const std::vector<std::string>& texts, const char* option) {
  Config::List list;
  for (const auto& text : texts) list.push_back(name_or_json(text, option));
  return list;
}

// Each object in an option: a single one, a list, or a table by output name; errors name the
// option.
void check_each(const Config& given, const char* option,
                const std::function<void(const Config&)>& check) {
  if (given.is_list())
    for (const Config& item : given.as_list()) check_each(item, option, check);
  else if (given.is_map() && !given.find("class_name"))
    for (const auto& [output, item] : given.as_map()) check_each(item, option, check);
  else if (!given.is_null())
    try {
      check(given);
    } catch (Error& error) {
      error.add_where(option);
      throw;
    }
}

bool fits(const Shape& wanted, const Shape& given) {
  if (given.rank() != wanted.rank()) return false;
  for (int d = 1; d < given.rank(); ++d)
    if (wanted[d] != unknown && wanted[d] != given[d]) return false;
  return true;
}

void expect_count(const Model& model, const std::string& option, size_t given, const char* what,
                  const std::vector<std::string>& names) {
  if (names.empty() || given == names.size()) return;
  throw InvalidArgument(
      fmt::format("model \"{}\" has {} {}{}, but {} was given {} times.", model.name(),
                  names.size(), what, names.size() == 1 ? "" : "s", option, given),
      fmt::format("one file for each, in this order: {}.", fmt::join(names, ", ")));
}

}  // namespace

bool is_model_file(const std::string& path) {
  return path.ends_with(".keras") || path.ends_with(".h5") || path.ends_with(".hdf5");
}

OptionsOf::OptionsOf(CLI::App& command, const char* kind)
    : command_(command), kind_(kind), before_(command.get_options().size()) {}

OptionsOf::~OptionsOf() {
  const auto options = command_.get_options();
  for (size_t i = before_; i < options.size(); ++i) options[i]->group(kind_);
}

void check_options(const CLI::App& command, const std::string& path) {
  const bool model = is_model_file(path);
  const char* other = model ? recipe_options : model_options;
  for (const CLI::Option* option : command.get_options())
    if (option->get_group() == other && option->count() > 0)
      throw InvalidArgument(
          fmt::format("{} is not for {}.", option->get_name(), model ? "model files" : "recipes"),
          fmt::format(
              "\"{}\" is taken for a {}", path,
              model ? "model file." : "recipe, whose values --set changes: --set fit.epochs=3."));
}

void DataOptions::add_x_to(CLI::App& command) {
  add_list(command, "--x", x,
           "the file of an input: npy, npz:member, IDX or CSV. With several inputs: once for each, "
           "in their order",
           "FILE");
}

void DataOptions::add_batch_size_to(CLI::App& command) {
  command.add_option("--batch-size,--batch", batch_size, "number of samples in a step")
      ->check(at_least(1))
      ->capture_default_str();
}

void DataOptions::add_y_to(CLI::App& command) {
  add_list(command, "--y", y,
           "the file of the targets. With several outputs: once for each, in their order", "FILE");
  add_list(command, "--sample-weight", sample_weight,
           "the file of a weight for each sample (default: all weigh the same)", "FILE");
}

void CompileOptions::add_to(CLI::App& command) {
  add_list(command, "--loss", loss,
           "the loss; with several outputs one for all, or once for each (default: the file's)",
           "NAME");
  command
      .add_option("--optimizer", optimizer,
                  "the optimizer, without the state that the file has (default: the file's)")
      ->type_name("NAME");
  add_list(command, "--metric", metrics, "a metric; may be repeated (default: the file's)", "NAME");
  command
      .add_option("--learning-rate", learning_rate, "the learning rate (default: the optimizer's)")
      ->type_name("NUMBER");
}

Config CompileOptions::overrides() const {
  Config table = Config::map();
  if (loss.size() == 1) table["loss"] = name_or_json(loss[0], "--loss");
  if (loss.size() > 1) table["loss"] = list_of(loss, "--loss");
  if (!optimizer.empty()) table["optimizer"] = name_or_json(optimizer, "--optimizer");
  if (metrics.size() == 1 && metrics[0].starts_with('['))
    table["metrics"] = name_or_json(metrics[0], "--metric");
  else if (!metrics.empty())
    table["metrics"] = list_of(metrics, "--metric");
  const auto check = [&](const char* key, const char* option, auto&& make) {
    if (const Config* given = table.find(key)) check_each(*given, option, make);
  };
  check("loss", "--loss", [](const Config& config) { return LossRef(config); });
  check("optimizer", "--optimizer", [](const Config& config) { return OptimizerRef(config); });
  check("metrics", "--metric", [](const Config& config) { MetricRef(config).check(); });
  return table;
}

Model open_model(const std::string& path, const std::string& device,
                 const CompileOptions& compile) {
  std::optional<Device> scope;  // the model is then placed there
  if (!device.empty()) scope.emplace(required_device(device));
  const Config overrides = compile.overrides();  // checked before the file is read
  Model model = load_model(path, {.compile_overrides = overrides});
  if (compile.learning_rate) {
    require_compiled(model, path);
    model.optimizer().set_learning_rate(*compile.learning_rate);
  }
  return model;
}

void require_compiled(const Model& model, const std::string& path) {
  const Config settings = model.get_compile_config();
  const Config* loss = settings.find("loss");
  if (!model.compiled() || !loss || loss->is_null())
    throw InvalidArgument(fmt::format("\"{}\" has no loss to train with.", path),
                          "it was saved without compile; give --loss and --optimizer.");
}

void check_counts(const Model& model, const std::vector<std::string>& x) {
  expect_count(model, "--x", x.size(), "input", model.input_names());
}

void check_counts(const Model& model, const std::vector<std::string>& x,
                  const std::vector<std::string>& y, const std::string& prefix) {
  expect_count(model, prefix + "x", x.size(), "input", model.input_names());
  expect_count(model, prefix + "y", y.size(), "output", model.output_names());
}

Arrays load_arrays(const std::vector<std::string>& paths) {
  Arrays arrays;
  for (const auto& path : paths) arrays.push_back(load_array(path));
  return arrays;
}

void check_samples(const Model& model, const Arrays& x, const std::vector<std::string>& paths) {
  const auto inputs = model.inputs();
  for (size_t i = 0; i < x.size() && i < inputs.size(); ++i) {
    const Shape &wanted = inputs[i].shape(), &given = x[i].shape();
    // Keras accepts (batch,) for (batch, 1).
    const bool column = wanted.rank() == given.rank() + 1 && wanted.back() == 1;
    if (!column && !fits(wanted, given))
      throw InvalidArgument(
          fmt::format("\"{}\" holds {}, but input \"{}\" of model \"{}\" takes {}.", paths[i],
                      to_string(given), model.input_names()[i], model.name(), to_string(wanted)),
          "None stands for any number.");
  }
}

}  // namespace stoker::cli
