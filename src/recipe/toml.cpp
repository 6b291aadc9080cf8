#include <fmt/format.h>

#include <algorithm>

#include "recipe/source.h"

namespace stoker::nn {
namespace {

bool is_bare(const std::string& key) {
  return !key.empty() &&
         key.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == key.npos;
}
std::string key_text(const std::string& key) {
  return is_bare(key) ? key : Config(key).to_string();
}

std::string inline_text(const Config& config) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (config.is_list()) {
    for (const Config& item : config.as_list()) add(inline_text(item));
    return "[" + text + "]";
  }
  if (!config.is_map()) return config.to_string();  // plain values are written as in JSON
  for (const auto& [key, value] : config.as_map())
    add(fmt::format("{} = {}", key_text(key), inline_text(value)));
  return "{" + text + "}";
}

bool is_table_list(const Config& config) {
  return config.is_list() && !config.as_list().empty() &&
         std::all_of(config.as_list().begin(), config.as_list().end(),
                     [](const Config& item) { return item.is_map(); });
}

std::string value_text(const Config& value) {
  if (!is_table_list(value)) return inline_text(value);
  std::string lines;
  for (const Config& item : value.as_list()) lines += fmt::format("  {},\n", inline_text(item));
  return "[\n" + lines + "]";
}

// Tables last: keys after a header belong to it.
void write_table(const Config& table, const std::string& path, std::string& out) {
  for (const auto& [key, value] : table.as_map())
    if (!value.is_map()) out += fmt::format("{} = {}\n", key_text(key), value_text(value));
  for (const auto& [key, value] : table.as_map()) {
    if (!value.is_map()) continue;
    const std::string below = path.empty() ? key_text(key) : path + "." + key_text(key);
    out += fmt::format("\n[{}]\n", below);
    write_table(value, below, out);
  }
}

}  // namespace

std::string to_toml(const Config& config) {
  std::string text;
  write_table(config, "", text);
  return text;
}

}  // namespace stoker::nn
