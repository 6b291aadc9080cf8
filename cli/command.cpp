#include "command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

namespace stoker::cli {

void Session::print(const Config& object, const std::string& text) const {
  fmt::print("{}\n", json ? object.to_string() : text);
  std::fflush(stdout);
}

CLI::App* add_command(CLI::App& app, Session& session, const std::string& name,
                      const std::string& description) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_flag("--json", session.json, "print one JSON object and nothing else on stdout");
  return command;
}

Config number(double value) { return std::isfinite(value) ? Config(value) : Config(); }

Config to_config(const Logs& logs) {
  Config table = Config::map();
  for (const auto& [name, value] : logs) table[name] = number(value);
  return table;
}

std::string to_text(const Logs& logs) {
  std::string text;
  for (const auto& [name, value] : logs)
    text += fmt::format("{}{}: {:.4f}", text.empty() ? "" : " - ", name, value);
  return text;
}

}  // namespace stoker::cli
