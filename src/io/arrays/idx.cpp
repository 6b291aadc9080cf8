#include "io/arrays/idx.h"

#include <optional>

#include "io/archives/inflate.h"
#include "io/arrays/array_format.h"
#include "io/arrays/elements.h"

namespace stoker {
namespace {

std::optional<StoredType> element_of(uint8_t code) {
  switch (code) {
    case 0x08:
      return StoredType{'u', 1};
    case 0x09:
      return StoredType{'i', 1};
    case 0x0b:
      return StoredType{'i', 2, true};
    case 0x0c:
      return StoredType{'i', 4, true};
    case 0x0d:
      return StoredType{'f', 4, true};
    case 0x0e:
      return StoredType{'f', 8, true};
  }
  return std::nullopt;
}

Array parse_plain(const Blob& file) {
  ByteCursor cursor(file);
  if (cursor.big<uint16_t>("the magic") != 0)
    cursor.fail("this is not an IDX file: it does not begin with two zero bytes.");
  const uint8_t code = cursor.big<uint8_t>("the element type");
  const std::optional<StoredType> element = element_of(code);
  if (!element) cursor.fail(fmt::format("IDX has no element type {:#04x}.", code));
  std::vector<int64_t> dims(cursor.big<uint8_t>("the number of dimensions"));
  for (int64_t& dim : dims) dim = cursor.big<uint32_t>("a dimension");
  const Array array = take_array(cursor, *element, Shape(std::move(dims)));
  cursor.expect_end();
  return array;
}

const RegisterArrayFormat registered(
    {"idx", "as MNIST's, also gzipped",
     [](const Blob& file) { return is_gzip(file) || is_idx(file); }, parse_idx});

}  // namespace

bool is_idx(const Blob& file) {
  const auto bytes = file.text();
  return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 &&
         element_of(static_cast<uint8_t>(bytes[2]));
}

Array parse_idx(const Blob& file) { return parse_plain(is_gzip(file) ? gunzip(file) : file); }

}  // namespace stoker
