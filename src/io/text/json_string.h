#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace stoker {

// A string in a JSON text, from its opening quote on: resolves escapes and checks for valid UTF-8.
class JsonString {
 public:
  JsonString(std::string_view text, size_t at) : text_(text), at_(at + 1) {}

  const char* read(std::string& out);  // the error, or null
  size_t at() const { return at_; }    // after the closing quote, or at the error

 private:
  const char* read_escape(std::string& out);
  const char* read_code_point(std::string& out);
  bool read_hex(uint32_t& value);
  bool copy_character(std::string& out);

  std::string_view text_;
  size_t at_;
};

}  // namespace stoker
