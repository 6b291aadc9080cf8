#include "device/device_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "stoker/error.h"

namespace stoker::device {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (upper(std::string(text.substr(0, prefix.size()))) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

[[noreturn]] void fail(const std::string& text) {
  throw InvalidArgument(fmt::format("\"{}\" is not a device's name.", text),
                        "write \"/gpu:0\", \"/cpu:0\", \"GPU:0\" or \"/device:GPU:0\".");
}

int32_t read_number(std::string_view digits, const std::string& text) {
  int32_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end() || number < 0) fail(text);
  return number;
}

}  // namespace

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

DeviceName parse_device_name(const std::string& text) {
  std::string_view rest = text;
  DeviceName name;
  take_prefix(rest, "/");
  name.physical = take_prefix(rest, "PHYSICAL_DEVICE:");
  if (!name.physical) take_prefix(rest, "DEVICE:");
  const size_t colon = rest.find(':');
  name.kind = upper(std::string(rest.substr(0, colon)));
  if (colon != rest.npos) name.number = read_number(rest.substr(colon + 1), text);
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.kind.empty() || !std::ranges::all_of(name.kind, is_letter)) fail(text);
  return name;
}

std::string short_name(const std::string& kind, int32_t number) {
  std::string lower = kind;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return fmt::format("/{}:{}", lower, number);
}
std::string logical_name(const std::string& kind, int32_t number) {
  return fmt::format("/device:{}:{}", kind, number);
}
std::string physical_name(const std::string& kind, int32_t number) {
  return fmt::format("/physical_device:{}:{}", kind, number);
}

}  // namespace stoker::device
