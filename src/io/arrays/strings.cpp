#include "io/arrays/strings.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "core/text/texts.h"

namespace stoker {
namespace {

void append_utf8(std::string& text, uint32_t c, const Blob& payload, size_t place) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c > 0x10ffff) payload.fail(place, fmt::format("{:#x} is not a character.", c));
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | (c >> 12));
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xf0 | (c >> 18));
    tail(12), tail(6), tail(0);
  }
}

std::string from_ucs4(const Blob& payload, size_t begin, size_t size) {
  std::string text;
  for (size_t at = begin; at < begin + size; at += 4) {
    uint32_t c = 0;
    std::memcpy(&c, payload.text().data() + at, 4);
    if (c == 0) break;  // shorter strings are padded with zeros
    append_utf8(text, c, payload, at);
  }
  return text;
}

std::string from_bytes(const Blob& payload, size_t begin, size_t size) {
  const std::string_view bytes = payload.text().substr(begin, size);
  return std::string(bytes.substr(0, bytes.find_last_not_of('\0') + 1));
}

}  // namespace

Array array_of_strings(const Blob& payload, StoredType element, const Shape& shape) {
  auto texts = std::make_shared<Texts>();
  const auto count = static_cast<size_t>(shape.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * element.size;
    texts->add(element.kind == 'U' ? from_ucs4(payload, begin, element.size)
                                   : from_bytes(payload, begin, element.size));
  }
  return {std::move(texts), shape};
}

}  // namespace stoker
