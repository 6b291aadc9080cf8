#include "io/arrays/array_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "stoker/error.h"

namespace stoker {
namespace {

std::vector<ArrayFormat>& registry() {
  static std::vector<ArrayFormat> formats;
  return formats;
}

bool is_asked_before(const ArrayFormat& a, const ArrayFormat& b) {
  if (a.by_content != b.by_content) return a.by_content;
  return std::string_view(a.name) < b.name;
}

std::string known_formats() {
  std::string text = "known are";
  for (const ArrayFormat& format : array_formats())
    text += fmt::format(" {} ({}),", format.name, format.files);
  text.back() = '.';
  return text;
}

}  // namespace

RegisterArrayFormat::RegisterArrayFormat(ArrayFormat format, std::source_location place) {
  format.place = place;
  for (const ArrayFormat& other : registry())
    if (std::string_view(other.name) == format.name)
      throw Internal(fmt::format("two array formats are named \"{}\": {}:{} and {}:{}.",
                                 format.name, other.place.file_name(), other.place.line(),
                                 place.file_name(), place.line()));
  registry().insert(std::ranges::upper_bound(registry(), format, is_asked_before), format);
}

const std::vector<ArrayFormat>& array_formats() { return registry(); }

Array parse_array(const Blob& file) {
  for (const ArrayFormat& format : array_formats())
    if (format.takes(file)) return format.parse(file);
  if (file.text().empty())
    throw InvalidArgument(fmt::format("\"{}\" is empty: it has 0 bytes.", file.name()),
                          "save the array again; the program that wrote it may have failed.");
  throw InvalidArgument(fmt::format("\"{}\" is not a known kind of array file.", file.name()),
                        known_formats());
}

}  // namespace stoker
