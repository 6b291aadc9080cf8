#include "io/text/json_string.h"

#include <charconv>
#include <cstdint>

namespace stoker {
namespace {

void append_utf8(std::string& out, uint32_t code) {
  const auto add = [&](uint32_t byte) { out += static_cast<char>(byte); };
  const auto follow = [&](int shift) { add(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xc0 | (code >> 6)), follow(0);
  if (code < 0x10000) return add(0xe0 | (code >> 12)), follow(6), follow(0);
  add(0xf0 | (code >> 18)), follow(12), follow(6), follow(0);
}

}  // namespace

const char* JsonString::read(std::string& out) {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') return ++at_, nullptr;
    if (static_cast<unsigned char>(c) < 0x20) return "a control character in a string";
    if (c == '\\') {
      if (const char* trouble = read_escape(out)) return trouble;
    } else if (!copy_character(out)) {
      return "a string that is not UTF-8";
    }
  }
  return "a string that is not closed";
}

const char* JsonString::read_escape(std::string& out) {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (letter == 'u') return read_code_point(out);
  const size_t found = letter ? letters.find(letter) : letters.npos;
  if (found == letters.npos) return "an unknown escape";
  out += meanings[found];
  at_ += 2;
  return nullptr;
}

const char* JsonString::read_code_point(std::string& out) {
  uint32_t code = 0, low = 0;
  if (!read_hex(code)) return "an escape without four hexadecimal digits";
  const bool high_surrogate = code >= 0xd800 && code < 0xdc00;
  if (high_surrogate && (!read_hex(low) || low < 0xdc00 || low > 0xdfff))
    return "half of a surrogate pair";
  if (code >= 0xdc00 && code < 0xe000) return "half of a surrogate pair";
  append_utf8(out, high_surrogate ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code);
  return nullptr;
}

bool JsonString::read_hex(uint32_t& value) {
  const std::string_view escape = text_.substr(at_, 6);
  if (escape.size() != 6 || !escape.starts_with("\\u")) return false;
  const auto [stop, error] = std::from_chars(escape.data() + 2, escape.data() + 6, value, 16);
  if (error != std::errc() || stop != escape.data() + 6) return false;
  at_ += 6;
  return true;
}

// Only the shortest encoding, no surrogates, nothing beyond U+10FFFF.
bool JsonString::copy_character(std::string& out) {
  const auto byte = [&](size_t i) -> uint32_t {
    return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0;
  };
  const uint32_t first = byte(0);
  const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first >= 0x80 && (first < 0xc2 || first > 0xf4)) return false;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return false;
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
    return false;
  out.append(text_.substr(at_, length));
  at_ += length;
  return true;
}

}  // namespace stoker
