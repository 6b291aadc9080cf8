#include "stoker/config.h"

#include <fmt/format.h>

#include <cmath>

#include "stoker/error.h"

namespace stoker {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      out += c;
  }
  return out + '"';
}

// As in Python's json; 2.0 must not be read back as the integer 2.
std::string spelled(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  const std::string number = fmt::format("{}", value);
  return number.find_first_not_of("-0123456789") == number.npos ? number + ".0" : number;
}

bool is_whole(double value) {
  return value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value);
}

}  // namespace

Config::Config() = default;
Config::Config(bool value) : value_(value) {}
Config::Config(int value) : value_(int64_t{value}) {}
Config::Config(int64_t value) : value_(value) {}
Config::Config(double value) : value_(value) {}
Config::Config(const char* value) : value_(std::string(value)) {}
Config::Config(std::string value) : value_(std::move(value)) {}
Config::Config(List value) : value_(std::move(value)) {}
Config::Config(const Config& other) = default;
Config::Config(Config&& other) noexcept = default;
Config& Config::operator=(const Config& other) = default;
Config& Config::operator=(Config&& other) noexcept = default;
Config::~Config() = default;

bool Config::operator==(const Config& other) const { return value_ == other.value_; }

Config Config::map(Map members) {
  Config config;
  config.value_ = std::move(members);
  return config;
}

std::string Config::kind() const {
  static const char* names[] = {"null",     "a boolean", "an integer", "a number",
                                "a string", "a list",    "a table"};
  return names[value_.index()];
}

template <class T>
static const T& get(const std::variant<std::monostate, bool, int64_t, double, std::string,
                                       Config::List, Config::Map>& value,
                    const Config& config, const char* wanted) {
  if (const T* found = std::get_if<T>(&value)) return *found;
  throw InvalidArgument(
      fmt::format("expected {}, got {} ({}).", wanted, config.kind(), config.to_string()));
}

bool Config::as_bool() const { return get<bool>(value_, *this, "a boolean"); }
const std::string& Config::as_string() const { return get<std::string>(value_, *this, "a string"); }
const Config::List& Config::as_list() const { return get<List>(value_, *this, "a list"); }
const Config::Map& Config::as_map() const { return get<Map>(value_, *this, "a table"); }

int64_t Config::as_int() const {
  if (const double* d = std::get_if<double>(&value_); d && is_whole(*d))
    return static_cast<int64_t>(*d);
  return get<int64_t>(value_, *this, "an integer");
}

double Config::as_double() const {
  if (is_int()) return static_cast<double>(std::get<int64_t>(value_));
  return get<double>(value_, *this, "a number");
}

const Config* Config::find(const std::string& key) const {
  if (const Map* map = std::get_if<Map>(&value_))
    for (const auto& [name, value] : *map)
      if (name == key) return &value;
  return nullptr;
}

Config& Config::operator[](const std::string& key) {
  if (is_null()) value_ = Map{};
  Map& map = std::get<Map>(value_);
  for (auto& [name, value] : map)
    if (name == key) return value;
  return map.emplace_back(key, Config()).second;
}

std::string Config::to_string() const {
  if (is_null()) return "null";
  if (is_bool()) return as_bool() ? "true" : "false";
  if (is_int()) return std::to_string(as_int());
  if (is_number()) return spelled(as_double());
  if (is_string()) return quoted(as_string());
  std::string text;
  if (is_list()) {
    for (const Config& item : as_list()) text += (text.empty() ? "" : ", ") + item.to_string();
    return "[" + text + "]";
  }
  for (const auto& [key, value] : as_map())
    text += (text.empty() ? "" : ", ") + quoted(key) + ": " + value.to_string();
  return "{" + text + "}";
}

}  // namespace stoker
