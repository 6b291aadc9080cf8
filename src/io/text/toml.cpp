#include <algorithm>

#include "io/text/text_place.h"
#include "io/text/toml_library.h"
#include "stoker/io.h"

namespace stoker {
namespace {

constexpr int deepest = 64;

// A key with a hundred thousand dotted parts would overflow the stack in the library's tables.
void refuse_long_keys(std::string_view text, const std::string& name) {
  constexpr int most_parts = 100;
  int dots = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == ',')
      dots = 0;
    else if (c == '.' && (i == 0 || text[i - 1] != '.'))
      ++dots;
    if (dots > most_parts)
      fail_at(name, place_of(text, i),
              fmt::format("more than {} dotted parts in a row.", most_parts));
  }
}

class Converter {
 public:
  Converter(const std::string& name, TextLines* lines) : name_(name), lines_(lines) {}

  Config convert(const toml::node& node, const std::string& path = {}, int depth = 0) const {
    if (lines_ && !path.empty()) lines_->try_emplace(path, node.source().begin.line);
    if (depth > deepest) fail(node.source(), fmt::format("nested deeper than {} levels.", deepest));
    if (const auto* table = node.as_table()) return convert_table(*table, path, depth);
    if (const auto* array = node.as_array()) return convert_array(*array, path, depth);
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* boolean = node.as_boolean()) return boolean->get();
    fail(node.source(), "dates and times are not supported.", "write it as a string, in quotes.");
  }

 private:
  // The library sorts keys by name; their positions restore the file's order.
  Config convert_table(const toml::table& table, const std::string& path, int depth) const {
    std::vector<std::pair<const toml::key*, const toml::node*>> members;
    for (auto&& [key, node] : table) members.emplace_back(&key, &node);
    std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
      return a.first->source().begin < b.first->source().begin;
    });
    Config::Map map;
    for (const auto& [key, node] : members)
      map.emplace_back(std::string(key->str()), convert(*node, below(path, key->str()), depth + 1));
    return Config::map(std::move(map));
  }

  Config convert_array(const toml::array& array, const std::string& path, int depth) const {
    Config::List list;
    for (const toml::node& item : array)
      list.push_back(convert(item, below(path, std::to_string(list.size())), depth + 1));
    return list;
  }

  static std::string below(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  }

  [[noreturn]] void fail(const toml::source_region& source, std::string message,
                         std::string hint = {}) const {
    fail_at(name_, {source.begin.line, source.begin.column}, std::move(message), std::move(hint));
  }

  const std::string& name_;
  TextLines* lines_;
};

}  // namespace

Config parse_toml(std::string_view text, const std::string& name, TextLines* lines) {
  refuse_long_keys(text, name);
  const toml::parse_result result = toml::parse(text);
  if (result) return Converter(name, lines).convert(result.table());
  const toml::parse_error& error = result.error();
  fail_at(name, {error.source().begin.line, error.source().begin.column},
          fmt::format("this is not TOML: {}.", error.description()));
}

}  // namespace stoker
