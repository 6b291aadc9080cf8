#pragma once
#include <charconv>
#include <string>
#include <string_view>

#include "io/text/csv_scanner.h"

namespace stoker {

inline std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? std::string_view{} : text.substr(begin, end - begin + 1);
}

template <class T>
bool read_number(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

inline bool is_number(std::string_view text) {
  double ignored;
  return read_number(text, ignored);
}

// The field's text: doubled quotes in a quoted field become one.
inline std::string spelled_out(const CsvField& field) {
  if (!field.quoted) return std::string(field.text);
  std::string out;
  for (size_t i = 0; i < field.text.size(); ++i) {
    out += field.text[i];
    if (field.text[i] == '"') ++i;
  }
  return out;
}

}  // namespace stoker
