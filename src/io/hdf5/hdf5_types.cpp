#include "io/hdf5/hdf5_types.h"

#include <vector>

namespace stoker::h5 {
namespace {

enum Class : uint8_t {
  integer,
  floating,
  time,
  text,
  bits,
  opaque,
  compound,
  reference,
  enumeration,
  variable,
  array
};
constexpr std::string_view class_names[] = {"integer",   "float",    "time",     "string",
                                            "bit field", "opaque",   "compound", "reference",
                                            "enum",      "variable", "array"};

struct Head {
  uint8_t kind, version;
  uint32_t bits, size;
};

Head read_head(ByteCursor& cursor) {
  constexpr std::string_view what = "a datatype";
  const uint8_t both = cursor.little_endian<uint8_t>(what);
  uint32_t bits = cursor.little_endian<uint8_t>(what);
  bits |= static_cast<uint32_t>(cursor.little_endian<uint16_t>(what)) << 8;
  const Head head{static_cast<uint8_t>(both & 15), static_cast<uint8_t>(both >> 4), bits,
                  cursor.little_endian<uint32_t>(what)};
  if (head.version < 1 || head.version > 4)
    cursor.fail(fmt::format("datatype version {} is not known.", head.version));
  if (head.size == 0) cursor.fail("a datatype of zero bytes.");
  return head;
}

[[noreturn]] void refuse(const ByteCursor& cursor, const Head& head) {
  cursor.fail(fmt::format("a datatype of class {} and {} bytes is not read.",
                          head.kind < std::size(class_names) ? std::string(class_names[head.kind])
                                                             : std::to_string(head.kind),
                          head.size),
              "numbers, booleans and strings are.");
}

Datatype number(const Head& head, char kind) {
  return {Datatype::Kind::number, {kind, head.size, (head.bits & 1) != 0}, head.size};
}

Datatype read_integer(ByteCursor& cursor, const Head& head) {
  constexpr std::string_view what = "an integer type";
  constexpr uint32_t is_signed = 1 << 3;
  const uint16_t offset = cursor.little_endian<uint16_t>(what),
                 precision = cursor.little_endian<uint16_t>(what);
  const bool whole = offset == 0 && precision == 8 * head.size;
  if (!whole || head.size > 8 || (head.size & (head.size - 1)) != 0) refuse(cursor, head);
  return number(head, head.bits & is_signed ? 'i' : 'u');
}

struct FloatForm {
  uint32_t size;
  char kind;
  uint8_t exponent_at, exponent, mantissa;
  uint32_t bias;
};
constexpr FloatForm float_forms[] = {{2, 'f', 10, 5, 10, 15},
                                     {2, 'B', 7, 8, 7, 127},
                                     {4, 'f', 23, 8, 23, 127},
                                     {8, 'f', 52, 11, 52, 1023}};

Datatype read_floating(ByteCursor& cursor, const Head& head) {
  constexpr std::string_view what = "a float type";
  constexpr uint32_t vax_order = 1 << 6;
  const uint16_t offset = cursor.little_endian<uint16_t>(what),
                 precision = cursor.little_endian<uint16_t>(what);
  const uint8_t exponent_at = cursor.little_endian<uint8_t>(what),
                exponent = cursor.little_endian<uint8_t>(what);
  const uint8_t mantissa_at = cursor.little_endian<uint8_t>(what),
                mantissa = cursor.little_endian<uint8_t>(what);
  const uint32_t bias = cursor.little_endian<uint32_t>(what), sign = (head.bits >> 8) & 0xff;
  for (const FloatForm& form : float_forms)
    if (head.size == form.size && exponent_at == form.exponent_at && exponent == form.exponent &&
        mantissa_at == 0 && mantissa == form.mantissa && bias == form.bias && offset == 0 &&
        precision == 8 * head.size && sign == precision - 1u && !(head.bits & vax_order))
      return number(head, form.kind);
  refuse(cursor, head);
}

// h5py's boolean: {FALSE = 0, TRUE = 1} in a byte. Old versions pad the names to eight bytes.
Datatype read_enumeration(ByteCursor& cursor, const Head& head) {
  const Head base = read_head(cursor);
  const Datatype byte = base.kind == integer ? read_integer(cursor, base) : Datatype{};
  const bool padded = head.version < 3;
  const std::string_view expected = padded ? std::string_view("FALSE\0\0\0TRUE\0\0\0\0\0\1", 18)
                                           : std::string_view("FALSE\0TRUE\0\0\1", 13);
  if ((head.bits & 0xffff) != 2 || byte.size != 1 ||
      cursor.take(expected.size(), "an enum's members").text() != expected)
    cursor.fail("only enums that are booleans are read.");
  return {Datatype::Kind::number, {'b', 1}, 1};
}

}  // namespace

Datatype read_datatype(const Blob& message) {
  ByteCursor cursor(message);
  const Head head = read_head(cursor);
  switch (head.kind) {
    case integer:
      return read_integer(cursor, head);
    case floating:
      return read_floating(cursor, head);
    case text:
      return {Datatype::Kind::fixed_text, {}, head.size, (head.bits & 15) == 2};
    case opaque:
      if (head.size == 2) return {Datatype::Kind::number, {'B', 2}, 2};
      break;
    case enumeration:
      return read_enumeration(cursor, head);
    case variable:
      if ((head.bits & 15) == 1 && head.size == 16) return {Datatype::Kind::variable_text, {}, 16};
      break;
  }
  refuse(cursor, head);
}

Dataspace read_dataspace(const Blob& message) {
  constexpr std::string_view what = "a dataspace";
  constexpr int most_dimensions = 32;
  ByteCursor cursor(message);
  const uint8_t version = cursor.little_endian<uint8_t>(what),
                rank = cursor.little_endian<uint8_t>(what);
  if (version != 1 && version != 2)
    cursor.fail(fmt::format("dataspace version {} is not known.", version));
  cursor.skip(1, what);  // whether maximum sizes follow
  const uint8_t kind = cursor.little_endian<uint8_t>(what);
  if (version == 1) cursor.skip(4, what);
  if (rank > most_dimensions) cursor.fail(fmt::format("a dataspace of {} dimensions.", rank));
  if (version == 2 && kind == 2) return {Shape{0}, true};
  std::vector<int64_t> dims;
  for (uint8_t i = 0; i < rank; ++i) {
    const auto dim = cursor.little_endian<uint64_t>(what);
    if (dim > uint64_t{1} << 62) cursor.fail(fmt::format("a dimension of {}.", dim));
    dims.push_back(static_cast<int64_t>(dim));
  }
  return {Shape(dims), false};
}

}  // namespace stoker::h5
