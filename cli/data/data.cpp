#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "at_least.h"
#include "command.h"
#include "data_pass.h"
#include "source_options.h"
#include "stoker/contact_sheet.h"
#include "stoker/human_bytes.h"
#include "terminal_image.h"

namespace stoker::cli {
namespace {

struct ShowOptions {
  SourceOptions source;
  std::string sheet;
  DataPass::Limits limits;
};

// Without a given size, images keep their own and cannot be batched.
bool shows_batches(const OpenedDataset& opened, const ShowOptions& options) {
  return !opened.images || !options.source.args.image_size.empty();
}

OpenDatasetArgs args_to_show(const ShowOptions& options) {
  OpenDatasetArgs args = options.source.args;
  args.by_name = true;
  if (args.image_size.empty()) args.transform = image::Transform(channels_of(args.color_mode));
  return args;
}

// Opens single samples first: only their types show whether there are images.
OpenedDataset open_to_show(const ShowOptions& options) {
  OpenDatasetArgs args = args_to_show(options);
  if (!args.image_size.empty()) return open_dataset(options.source.path, args);
  args.batch_size = std::nullopt;
  const OpenedDataset opened = open_dataset(options.source.path, args);
  return opened.images ? opened : open_dataset(options.source.path, args_to_show(options));
}

// A stage's elements may be batches.
std::string rate_of(const StageStatistics& stage, int64_t samples) {
  const double seconds = stage.seconds_per_element * static_cast<double>(stage.elements);
  if (seconds <= 0) return "";
  return fmt::format("  {:<32} {:>12.0f} samples/s in a thread\n", stage.name,
                     static_cast<double>(samples) / seconds);
}

std::string sizes_of_images(const DataPass& pass) {
  const Shape &least = pass.least, &most = pass.most;
  if (least == most) return fmt::format("images: all {} x {}\n", least[0], least[1]);
  return fmt::format("images: {} to {} pixels high, {} to {} wide\n", least[0], most[0], least[1],
                     most[1]);
}

std::string to_text(const ShowOptions& options, const OpenedDataset& opened, const DataPass& pass) {
  const bool batched = shows_batches(opened, options);
  const int64_t batch = batched ? *options.source.args.batch_size : 1,
                elements = opened.dataset.cardinality();
  std::string text = fmt::format("{}: {}", options.source.path, opened.kind);
  if (pass.whole)
    text += fmt::format(", {} samples", pass.samples);
  else if (elements >= 0)
    text += fmt::format(", {}{} samples", batched ? "about " : "", elements * batch);
  text += fmt::format("\n{}: {}\n", batched ? "batch" : "sample", to_string(pass.spec));
  if (!batched) text += sizes_of_images(pass);
  for (size_t i = 0; i < opened.class_names.size(); ++i)
    text += fmt::format("  class {}: {}{}\n", i, opened.class_names[i],
                        pass.of_class[i] ? fmt::format(", {} samples", pass.of_class[i]) : "");
  text += fmt::format("{} samples ({}) in {:.2f} s: {:.0f} samples/s\n", pass.samples,
                      human_bytes(pass.bytes), pass.seconds,
                      static_cast<double>(pass.samples) / std::max(pass.seconds, 1e-9));
  for (const StageStatistics& stage : pass.stages.stages) text += rate_of(stage, pass.samples);
  text.pop_back();
  return text;
}

Config data_config(const ShowOptions& options, const OpenedDataset& opened, const DataPass& pass) {
  const bool batched = shows_batches(opened, options);
  Config::List stages, classes;
  for (const StageStatistics& stage : pass.stages.stages)
    stages.push_back(Config::map({{"name", stage.name},
                                  {"elements", stage.elements},
                                  {"seconds_per_element", number(stage.seconds_per_element)}}));
  for (size_t i = 0; i < opened.class_names.size(); ++i)
    classes.push_back(
        Config::map({{"name", opened.class_names[i]}, {"samples", pass.of_class[i]}}));
  return Config::map({{"source", options.source.path},
                      {"kind", opened.kind},
                      {batched ? "batch" : "sample", to_string(pass.spec)},
                      {batched ? "batches" : "elements", opened.dataset.cardinality()},
                      {"samples", pass.samples},
                      {"whole", pass.whole},
                      {"bytes", pass.bytes},
                      {"seconds", number(pass.seconds)},
                      {"classes", classes},
                      {"stages", stages}});
}

// Of all classes, if elements have indices.
Dataset samples_to_show(const ShowOptions& options) {
  OpenDatasetArgs args = args_to_show(options);
  args.batch_size = std::nullopt;
  const Dataset samples = open_dataset(options.source.path, args).dataset;
  const int64_t count = samples.cardinality();
  return count > 0 ? samples.shuffle(count, {.seed = 1}) : samples;
}

void show_samples(const ShowOptions& options, bool to_terminal) {
  if (options.sheet.empty() && !to_terminal) return;
  const Dataset samples = samples_to_show(options);
  if (!options.sheet.empty()) save_png(options.sheet, contact_sheet(samples));
  if (to_terminal && can_be_shown(samples.element_spec().arrays.at(0)))
    fmt::print("{}", terminal_image(contact_sheet(samples, {.columns = 6, .rows = 2, .tile = 12})));
}

void run_data(const ShowOptions& options, Invocation& invocation) {
  const OpenedDataset opened = open_to_show(options);
  const DataPass pass = read_first(opened, shows_batches(opened, options), options.limits);
  if (pass.samples == 0)
    throw InvalidArgument(fmt::format("\"{}\" has no sample.", options.source.path));
  show_samples(options, !invocation.json && ::isatty(STDOUT_FILENO) == 1);
  invocation.print(data_config(options, opened, pass), to_text(options, opened, pass));
}

}  // namespace

void add_data(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "data",
                                  "show the contents of a data set and how fast it is read");
  auto options = std::make_shared<ShowOptions>();
  options->source.add_to(*command);
  command
      ->add_option("--sheet", options->sheet,
                   "a PNG file to write: the first samples, if they are images (default: none)")
      ->type_name("FILE");
  command->add_option("--samples", options->limits.samples, "how many samples to read at most")
      ->check(at_least(1))
      ->capture_default_str();
  command->add_option("--seconds", options->limits.seconds, "for how long to read at most")
      ->check(CLI::PositiveNumber.description("NUMBER"))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  stoker data images/train --image-size 224 --sheet samples.png\n"
      "  stoker data table.csv --target price\n\n"
      "The rate of each stage is that of its own work in one thread; that of images includes "
      "resizing if a size is given. On a terminal the first images are drawn, too.");
  command->callback([options, &invocation] { run_data(*options, invocation); });
}

}  // namespace stoker::cli
