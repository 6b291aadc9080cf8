#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "at_least.h"
#include "command.h"
#include "interrupt.h"
#include "source_options.h"
#include "stoker/contact_sheet.h"
#include "stoker/human_bytes.h"
#include "stoker/interrupt.h"
#include "stoker/progress_line.h"
#include "terminal_image.h"

namespace stoker::cli {
namespace {

struct ShowOptions {
  SourceOptions source;
  std::string sheet;
  int64_t samples = 10000;
  double seconds = 5;
};

// The results of a pass over the first samples.
struct Pass {
  int64_t samples = 0, bytes = 0;
  double seconds = 0;
  bool whole = true;
  std::vector<int64_t> of_class;
  PipelineStatistics stages;
};

int64_t bytes_of(const Element& element) {
  int64_t bytes = 0;
  for (const Array& array : element.arrays()) bytes += static_cast<int64_t>(array.bytes());
  return bytes;
}

void count_class(const Element& batch, Pass& pass) {
  if (pass.of_class.empty() || batch.arrays().size() < 2) return;
  const Array& labels = batch.arrays().back();
  for (int64_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<size_t>(labels.at(i));
    if (label < pass.of_class.size()) ++pass.of_class[label];
  }
}

Pass run_through(const OpenedDataset& opened, const ShowOptions& options) {
  using Clock = std::chrono::steady_clock;
  Pass pass;
  pass.of_class.resize(opened.class_names.size());
  const InterruptScope interrupts;
  ProgressLine line("reading", -1);
  const auto begin = Clock::now();
  for (const Element& batch : opened.dataset) {
    pass.samples += batch.arrays().at(0).length();
    pass.bytes += bytes_of(batch);
    count_class(batch, pass);
    pass.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    line.show(pass.samples);
    pass.whole = !interrupted() && pass.samples < options.samples && pass.seconds < options.seconds;
    if (!pass.whole) break;
  }
  pass.stages = opened.dataset.statistics();
  return pass;
}

std::string rate_of(const StageStatistics& stage, int64_t batch_size) {
  if (stage.elements == 0 || stage.seconds_per_element <= 0) return "";
  const bool batches = stage.name.find("batch") != std::string::npos;
  const double each = stage.seconds_per_element / static_cast<double>(batches ? batch_size : 1);
  return fmt::format("  {:<32} {:>12.0f} samples/s in a thread\n", stage.name, 1 / each);
}

std::string to_text(const ShowOptions& options, const OpenedDataset& opened, const Pass& pass) {
  const int64_t batch = *options.source.args.batch_size, batches = opened.dataset.cardinality();
  std::string text = fmt::format("{}: {}", options.source.path, opened.kind);
  if (pass.whole)
    text += fmt::format(", {} samples", pass.samples);
  else if (batches >= 0)
    text += fmt::format(", about {} samples", batches * batch);
  text += fmt::format("\nbatch: {}\n", to_string(opened.dataset.element_spec()));
  for (size_t i = 0; i < opened.class_names.size(); ++i)
    text += fmt::format("  class {}: {}{}\n", i, opened.class_names[i],
                        pass.of_class[i] ? fmt::format(", {} samples", pass.of_class[i]) : "");
  text += fmt::format("{} samples ({}) in {:.2f} s: {:.0f} samples/s\n", pass.samples,
                      human_bytes(pass.bytes), pass.seconds,
                      static_cast<double>(pass.samples) / std::max(pass.seconds, 1e-9));
  for (const StageStatistics& stage : pass.stages.stages) text += rate_of(stage, batch);
  text.pop_back();
  return text;
}

Config data_config(const ShowOptions& options, const OpenedDataset& opened, const Pass& pass) {
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
                      {"batch", to_string(opened.dataset.element_spec())},
                      {"batches", opened.dataset.cardinality()},
                      {"samples", pass.samples},
                      {"whole", pass.whole},
                      {"bytes", pass.bytes},
                      {"seconds", number(pass.seconds)},
                      {"classes", classes},
                      {"stages", stages}});
}

void show_samples(const ShowOptions& options, const OpenedDataset& opened, bool to_terminal) {
  const Dataset samples = opened.dataset.unbatch();
  if (!options.sheet.empty()) save_png(options.sheet, contact_sheet(samples));
  if (to_terminal && can_be_shown(samples.element_spec().arrays.at(0)))
    fmt::print("{}", terminal_image(contact_sheet(samples, {.columns = 6, .rows = 2, .tile = 12})));
}

void run_data(const ShowOptions& options, Invocation& invocation) {
  const OpenedDataset opened = open_dataset(options.source.path, options.source.args);
  const Pass pass = run_through(opened, options);
  if (pass.samples == 0)
    throw InvalidArgument(fmt::format("\"{}\" has no sample.", options.source.path));
  show_samples(options, opened, !invocation.json && ::isatty(STDOUT_FILENO) == 1);
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
  command->add_option("--samples", options->samples, "how many samples to read at most")
      ->check(at_least(1))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "for how long to read at most")
      ->check(CLI::PositiveNumber.description("NUMBER"))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  stoker data images/train --image-size 224 --sheet samples.png\n"
      "  stoker data table.csv --target price\n\n"
      "The rate of each stage is that of its own work in one thread. On a terminal the first "
      "images "
      "are drawn, too.");
  command->callback([options, &invocation] { run_data(*options, invocation); });
}

}  // namespace stoker::cli
