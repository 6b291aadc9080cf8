#include "io/arrays/npy.h"

#include <algorithm>
#include <numeric>

#include "core/round_up.h"
#include "io/arrays/array_format.h"
#include "io/arrays/npy_header.h"
#include "io/byte_cursor.h"

namespace stoker {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

Shape reversed(const Shape& shape) {
  return Shape(std::vector<int64_t>(shape.dims().rbegin(), shape.dims().rend()));
}

Array transposed(const Array& source);

Array transposed_strings(const Array& source) {
  std::vector<int64_t> places(static_cast<size_t>(source.size()));
  std::iota(places.begin(), places.end(), 0);
  const Array order = transposed(Array::from(places, source.shape()));
  std::vector<std::string> texts;
  for (const int64_t place : order.data<int64_t>()) texts.emplace_back(source.text(place));
  return Array::strings(texts, order.shape());
}

// In Fortran order the first index varies fastest: the bytes are those of the transposed array in C
// order.
Array transposed(const Array& source) {
  if (source.holds_strings()) return transposed_strings(source);
  const Shape shape = reversed(source.shape());
  Array out(source.dtype(), shape);
  const size_t size = size_of(source.dtype());
  std::vector<size_t> strides(static_cast<size_t>(shape.rank()), size), index(strides.size(), 0);
  for (size_t axis = 1; axis < strides.size(); ++axis)
    strides[axis] = strides[axis - 1] * static_cast<size_t>(shape[static_cast<int>(axis) - 1]);
  size_t from = 0;
  for (size_t to = 0; to < out.bytes(); to += size) {
    std::memcpy(out.mutable_raw() + to, source.raw() + from, size);
    for (size_t axis = strides.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < static_cast<size_t>(shape[static_cast<int>(axis)])) break;
      from -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
  return out;
}

std::string_view descr_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "<f4";
    case DType::float64:
      return "<f8";
    case DType::float16:
      return "<f2";
    case DType::int8:
      return "|i1";
    case DType::int32:
      return "<i4";
    case DType::int64:
      return "<i8";
    case DType::uint8:
      return "|u1";
    case DType::boolean:
      return "|b1";
    case DType::bfloat16:
      break;
  }
  throw Unsupported("numpy files have no bfloat16.",
                    "save it as safetensors, or convert it with astype(DType::float32).");
}

const RegisterArrayFormat registered({"npy", "numpy's, versions 1 to 3", is_npy, parse_npy});

}  // namespace

bool is_npy(const Blob& file) { return file.text().starts_with(magic); }

Array parse_npy(const Blob& file) {
  ByteCursor cursor(file);
  if (!is_npy(file)) cursor.fail("this is not a .npy file: it does not begin with \\x93NUMPY.");
  cursor.skip(magic.size(), "the magic");
  const int major = cursor.little_endian<uint8_t>("the version");
  cursor.skip(1, "the version");
  if (major < 1 || major > 3) cursor.fail(fmt::format("version {} of .npy is not known.", major));
  const size_t length = major == 1 ? cursor.little_endian<uint16_t>("the header's length")
                                   : cursor.little_endian<uint32_t>("the header's length");
  const NpyHeader header = parse_npy_header(cursor.take(length, "the header"));
  const bool transpose = header.fortran_order && header.shape.rank() > 1;
  const Shape stored = transpose ? reversed(header.shape) : header.shape;
  const Array array = take_array(cursor, header.element, stored);
  cursor.expect_end();
  return transpose ? transposed(array) : array;
}

std::string npy_header(const Array& array) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                 descr_of(array.dtype()), to_string(array.shape()));
  constexpr size_t before = 10, alignment = 64;
  const size_t total = round_up(before + text.size() + 1, alignment);
  text.resize(total - before - 1, ' ');
  text += '\n';
  // Shapes have few dimensions, so the header's length fits into version 1's two bytes.
  return fmt::format("{}{}{}{}{}{}", magic, '\x01', '\x00', static_cast<char>(text.size() & 0xff),
                     static_cast<char>(text.size() >> 8), text);
}

}  // namespace stoker
