#include "command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>

#include "stoker/distribution.h"
#include "stoker/say.h"

namespace stoker::cli {

void Invocation::keep_stdout_for_json() {
  json = true;
  std::fflush(stdout);
  json_output_ = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

void Invocation::release_stdout() const {
  if (json_output_ >= 0) dup2(json_output_, STDOUT_FILENO);
}

void Invocation::print(const Config& object, const std::string& text) const {
  if (distribution::process_id() > 0) return;
  if (json_output_ >= 0) return print_json(object);
  say(stdout, fmt::format("{}\n", text));
  std::fflush(stdout);
}

void Invocation::print_json(const Config& object) const {
  const std::string line = object.to_string() + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = write(json_output_, line.data() + done, line.size() - done);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) done += static_cast<size_t>(n);
  }
}

CLI::App* add_command(CLI::App& app, Invocation& invocation, const std::string& name,
                      const std::string& description) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_flag_callback(
      "--json", [&invocation] { invocation.keep_stdout_for_json(); },
      "print one JSON object and nothing else on stdout");
  return command;
}

Config number(double value) { return std::isfinite(value) ? Config(value) : Config(); }

Config to_config(const Logs& logs) {
  Config table = Config::map();
  for (const auto& [name, value] : logs) table[name] = number(value);
  return table;
}

Config to_config(const History& history) {
  Config table = Config::map();
  for (const auto& [name, values] : history.history) {
    Config::List list;
    for (double value : values) list.push_back(number(value));
    table[name] = list;
  }
  return table;
}

Config interrupted_at(const History& history) {
  return history.interrupted ? stoker::to_config(*history.interrupted) : Config();
}

std::string to_text(const Logs& logs) {
  std::string text;
  for (const auto& [name, value] : logs)
    text += fmt::format("{}{}: {:.4f}", text.empty() ? "" : " - ", name, value);
  return text;
}

}  // namespace stoker::cli
