#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "command.h"
#include "stoker/run_record.h"

namespace stoker::cli {
namespace {

struct ReportOptions {
  std::string run, out, trace;
};

// In the same folder: run.json → run.html.
std::string page_beside(const std::string& run) {
  const std::filesystem::path path(run);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return (path / "run.html").string();
  return std::filesystem::path(path).replace_extension(".html").string();
}

void run_report(const ReportOptions& options, const Invocation& invocation) {
  const RunRecord run = load_run(options.run);
  const std::string page = options.out.empty() ? page_beside(options.run) : options.out;
  save_page(page, run);
  std::string text = fmt::format("wrote {}", page);
  if (!options.trace.empty()) {
    save_trace(options.trace, run);
    text += fmt::format("\nwrote {}: chrome://tracing and ui.perfetto.dev open it", options.trace);
  }
  invocation.print(Config::map({{"page", page}, {"trace", options.trace}, {"name", run.name}}),
                   text);
}

void run_compare(const std::pair<std::string, std::string>& runs, const Invocation& invocation) {
  const RunComparison found = compare_runs(load_run(runs.first), load_run(runs.second));
  invocation.print(found.to_config(), found.to_string());
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "report",
                                  "make a page of a training run: where its time went, and why");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("run", options->run, "the output folder of a training, or its run.json")
      ->required()
      ->type_name("RUN");
  command
      ->add_option("--out", options->out, "the page to write (default: run.html next to run.json)")
      ->type_name("FILE");
  command
      ->add_option("--trace", options->trace,
                   "also write the time line as a file for chrome://tracing or Perfetto")
      ->type_name("FILE");
  command->footer(
      "The page is one file of HTML and needs no network. docs/report.md describes run.json.");
  command->callback([options, &invocation] { run_report(*options, invocation); });
}

void add_compare(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, invocation, "compare",
                  "show what is different between two training runs, and by how much");
  auto runs = std::make_shared<std::pair<std::string, std::string>>();
  const char* text = "an output folder of a training, or its run.json";
  command->add_option("run_a", runs->first, text)->required()->type_name("RUN_A");
  command->add_option("run_b", runs->second, text)->required()->type_name("RUN_B");
  command->callback([runs, &invocation] { run_compare(*runs, invocation); });
}

}  // namespace stoker::cli
