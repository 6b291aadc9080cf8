#include "key_options.h"

#include <CLI/CLI.hpp>

#include "stoker/io.h"

namespace stoker::cli {
namespace {

Config toml_value(const std::string& text) { return parse_change("value=" + text).value; }

// Accepts {"class_name": "SGD"} and {class_name = "SGD"}.
Config name_or_object(const std::string& text, const std::string& option) {
  if (!text.starts_with('{') && !text.starts_with('[')) return text;
  if (const Config toml = toml_value(text); !toml.is_string()) return toml;
  return parse_json(text, option);
}

Config one_or_list(const Config::List& items) {
  return items.size() == 1 ? items[0] : Config(items);
}

}  // namespace

CLI::Option* KeyOptions::add(CLI::App& command, const std::string& name, const std::string& key,
                             Kind kind, const std::string& description) {
  Entry& entry = entries_.emplace_back(Entry{name.substr(0, name.find(',')), key, kind, {}});
  CLI::Option* option = command.add_option(name, entry.given, description)->expected(1);
  const bool repeats = kind == Kind::texts || kind == Kind::object || kind == Kind::list;
  return repeats ? option->take_all() : option->take_last();
}

void KeyOptions::add_flag(CLI::App& command, const std::string& name, const std::string& key,
                          const std::string& description) {
  Entry& entry = entries_.emplace_back(Entry{name, key, Kind::value, {}});
  command.add_flag_callback(
      name, [&entry] { entry.given = {"true"}; }, description);
}

std::vector<RecipeChange> KeyOptions::changes() const {
  std::vector<RecipeChange> changes;
  for (const Entry& entry : entries_)
    if (!entry.given.empty()) changes.push_back({entry.key, value_of(entry), entry.name});
  return changes;
}

Config KeyOptions::value_of(const Entry& entry) {
  const std::string& last = entry.given.back();
  Config::List items;
  for (const auto& text : entry.given)
    items.push_back(entry.kind == Kind::texts ? Config(text) : name_or_object(text, entry.name));
  switch (entry.kind) {
    case Kind::value:
      return toml_value(last);
    case Kind::text:
      return last;
    case Kind::texts:
    case Kind::object:
      return one_or_list(items);
    case Kind::list:
      return items.size() == 1 && items[0].is_list() ? items[0] : Config(items);
    case Kind::table:
      break;
  }
  return last.starts_with('{') ? name_or_object(last, entry.name) : load_json(last);
}

}  // namespace stoker::cli
