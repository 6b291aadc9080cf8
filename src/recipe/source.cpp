#include "recipe/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "stoker/io.h"
#include "stoker/suggest.h"

namespace stoker {
namespace nn {
namespace {

std::pair<std::string, std::string> split_first(const std::string& path) {
  const size_t dot = path.find('.');
  if (dot == path.npos) return {path, {}};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

bool is_index(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
}

const Config* step_into(const Config& config, const std::string& key) {
  if (!config.is_list()) return config.find(key);
  const auto& list = config.as_list();
  const size_t i = is_index(key) ? std::strtoul(key.c_str(), nullptr, 10) : list.size();
  return i < list.size() ? &list[i] : nullptr;
}

// A copy with the value at the path; missing tables are created, list items must exist.
Config with_value(const Config& config, const std::string& path, const Config& value) {
  if (path.empty()) return value;
  const auto [key, rest] = split_first(path);
  const Config* old = step_into(config, key);
  if (config.is_list()) {
    if (!old)
      throw InvalidArgument(
          fmt::format("\"{}\" is not an item of a list of {}.", key, config.as_list().size()),
          "items count from 0.");
    Config::List list = config.as_list();
    list[static_cast<size_t>(old - config.as_list().data())] = with_value(*old, rest, value);
    return list;
  }
  if (!config.is_map() && !config.is_null())
    throw InvalidArgument(fmt::format("\"{}\" is inside {}, not a table.", key, config.kind()));
  Config table = config.is_null() ? Config::map() : config;
  table[key] = with_value(old ? *old : Config(), rest, value);
  return table;
}

// 3, 0.5, true, [1, 2] and {…} are TOML; anything else is a string.
Config parse_value(const std::string& text) {
  try {
    return *parse_toml("value = " + text).find("value");
  } catch (const Error&) {
    return text;
  }
}

// Is it an option of the command line?
bool is_option(const std::string& place) { return place.starts_with("--"); }

bool mentions(const std::string& text, const std::string& word) {
  const auto is_letter = [&](size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if (!is_letter(at - 1) && !is_letter(at + word.size())) return true;
  return false;
}

}  // namespace
}  // namespace nn

RecipeChange parse_change(const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == assignment.npos || equals == 0)
    throw InvalidArgument(fmt::format("\"{}\" sets nothing.", assignment),
                          "write key=value, as in fit.epochs=3.");
  return {assignment.substr(0, equals), nn::parse_value(assignment.substr(equals + 1)),
          "--set " + assignment};
}

namespace nn {

RecipeSource::RecipeSource(const std::string& file, const std::vector<RecipeChange>& changes)
    : file_(file) {
  TextLines lines;
  root_ = is_model_file() ? Config::map({{"model", Config::map({{"file", file}})}})
                          : load_toml(file, &lines);
  for (const auto& [path, line] : lines) places_[path] = fmt::format("{}:{}", file, line);
  for (const RecipeChange& one : changes) change(one);
}

bool RecipeSource::is_model_file() const {
  return file_.ends_with(".keras") || file_.ends_with(".h5") || file_.ends_with(".hdf5");
}

void RecipeSource::change(const RecipeChange& change) {
  try {
    root_ = with_value(root_, change.key, change.value);
  } catch (Error& error) {
    error.add_where(change.place);
    throw;
  }
  places_[change.key] = change.place;
}

const Config* RecipeSource::find(const std::string& path) const {
  const Config* config = &root_;
  for (std::string rest = path; config && !rest.empty();) {
    const auto [key, tail] = split_first(rest);
    config = step_into(*config, key);
    rest = tail;
  }
  return config;
}

const Config& RecipeSource::get(const std::string& path) const {
  if (const Config* found = find(path)) return *found;
  const size_t dot = path.rfind('.');
  fail(dot == path.npos ? "" : path.substr(0, dot), fmt::format("\"{}\" is missing.", path));
}

std::string RecipeSource::string_at(const std::string& path, const std::string& otherwise) const {
  const Config* found = find(path);
  return found ? at(path, [&] { return found->as_string(); }) : otherwise;
}

void RecipeSource::check_keys(const std::string& path,
                              const std::vector<std::string>& known) const {
  const Config* table = find(path);
  if (!table) return;
  const std::string owner = path.empty() ? "a recipe" : fmt::format("\"{}\"", path);
  if (!table->is_map())
    fail(path, fmt::format("{} must be a table, got {}.", owner, table->kind()));
  for (const auto& [key, value] : table->as_map())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(path.empty() ? key : path + "." + key, fmt::format("{} has no key \"{}\".", owner, key),
           did_you_mean(key, known));
}

std::string RecipeSource::place(std::string path) const {
  while (!path.empty()) {
    if (auto found = places_.find(path); found != places_.end()) return found->second;
    const size_t dot = path.rfind('.');
    path.resize(dot == path.npos ? 0 : dot);
  }
  return file_;
}

void RecipeSource::fail(const std::string& path, const std::string& message,
                        const std::string& hint) const {
  InvalidArgument error(message, hint);
  error.add_where(place(path));
  throw error;
}

void RecipeSource::add_place(const std::string& path, Error& error) const {
  const std::string text = error.message() + " " + error.where();
  if (text.find(file_ + ":") != text.npos || error.where().find("--") != text.npos) return;
  const Config* table = find(path);
  if (table && table->is_map())
    for (const auto& [key, value] : table->as_map()) {
      const std::string there = place(path + "." + key);
      if (text.find('"' + key + '"') != text.npos || (is_option(there) && mentions(text, key)))
        return error.add_where(there);
    }
  error.add_where(place(path));
}

Config nest_objects(const Config& config) {
  if (config.is_list()) {
    Config::List list;
    for (const Config& item : config.as_list()) list.push_back(nest_objects(item));
    return list;
  }
  if (!config.is_map()) return config;
  Config nested = Config::map();
  for (const auto& [key, value] : config.as_map()) nested[key] = nest_objects(value);
  const Config* class_name = nested.find("class_name");
  if (!class_name || nested.find("config")) return nested;
  Config arguments = Config::map();
  for (const auto& [key, value] : nested.as_map())
    if (key != "class_name") arguments[key] = value;
  return Config::map({{"class_name", *class_name}, {"config", arguments}});
}

}  // namespace nn
}  // namespace stoker
