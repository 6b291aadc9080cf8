#include "misspelt.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "stoker/suggest.h"

namespace stoker::cli {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string sentence(const std::string& what, const std::string& given,
                     const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return "";
  return fmt::format("there is no {} \"{}\". Hint: {}", what, given, did_you_mean(given, known));
}

}  // namespace

std::string misspelt(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const auto commands = commands_of(app);
  if (const auto wrong = sentence("command", argv[1], commands); !wrong.empty()) return wrong;
  const auto options = options_of(*app.get_subcommand(argv[1]));
  for (int i = 2; i < argc; ++i) {
    const std::string given = argv[i], name = given.substr(0, given.find('='));
    if (name == "--") break;  // what follows is another program's
    if (!name.starts_with("--")) continue;
    if (const auto wrong = sentence("option", name, options); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace stoker::cli
