#include "core/text/valid_text.h"

#include <cstdint>

namespace stoker {
namespace {

uint32_t byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length of the character that begins there; 0: invalid.
size_t character_length(std::string_view text, size_t at) {
  const uint32_t first = byte_at(text, at);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const uint32_t next = byte_at(text, at + i);
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3f);
  }
  const uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || code > 0x10ffff || surrogate ? 0 : length;
}

}  // namespace

std::string valid_text(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_length(text, at);
    if (length == 0)
      out += "\xef\xbf\xbd";
    else
      out += text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace stoker
