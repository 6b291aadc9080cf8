#include "io/arrays/elements.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "io/arrays/strings.h"

namespace stoker {
namespace {

std::optional<DType> kept_as(StoredType element) {
  switch (element.kind) {
    case 'f':
      if (element.size == 2) return DType::float16;
      if (element.size == 4) return DType::float32;
      if (element.size == 8) return DType::float64;
      break;
    case 'i':
      if (element.size == 1) return DType::int8;
      if (element.size == 4) return DType::int32;
      if (element.size == 8) return DType::int64;
      break;
    case 'u':
      if (element.size == 1) return DType::uint8;
      break;
    case 'b':
      if (element.size == 1) return DType::boolean;
      break;
    case 'B':
      if (element.size == 2) return DType::bfloat16;
      break;
  }
  return std::nullopt;
}

size_t byte_count(const ByteCursor& cursor, const Shape& shape, size_t element_size) {
  constexpr int most_dimensions = 64;
  if (shape.rank() > most_dimensions)
    cursor.fail(fmt::format("an array of {} dimensions; at most {} are supported.", shape.rank(),
                            most_dimensions));
  // Checked without zeros first: 2^62 x 2^62 x 0 is invalid, too.
  int64_t bytes = static_cast<int64_t>(element_size);
  for (int64_t dim : shape)
    if (dim < 0 || (dim > 0 && __builtin_mul_overflow(bytes, dim, &bytes)))
      cursor.fail(fmt::format("shape {} is impossible.", to_string(shape)));
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? static_cast<size_t>(bytes) : 0;
}

template <class T>
Blob swapped_as(const Blob& payload) {
  Blob out = Blob::copy(payload.bytes(), payload.name());
  for (size_t at = 0; at < out.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, out.data() + at, sizeof(T));
    value = byteswap(value);
    std::memcpy(out.mutable_data() + at, &value, sizeof(T));
  }
  return out;
}

Blob little_endian(const Blob& payload, StoredType element) {
  if (!element.big_endian || element.size == 1) return payload;
  if (element.size == 2) return swapped_as<uint16_t>(payload);
  return element.size == 4 ? swapped_as<uint32_t>(payload) : swapped_as<uint64_t>(payload);
}

// Reading any byte but 0 and 1 as a bool would be undefined behaviour.
void check_booleans(const Blob& payload) {
  const auto bytes = payload.bytes();
  const auto bad =
      std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad != bytes.end())
    payload.fail(static_cast<size_t>(bad - bytes.begin()),
                 fmt::format("{} is not a boolean.", std::to_integer<int>(*bad)));
}

Array kept(const Blob& payload, DType dtype, const Shape& shape) {
  if (dtype == DType::boolean) check_booleans(payload);
  const bool aligned = reinterpret_cast<uintptr_t>(payload.data()) % size_of(dtype) == 0;
  return Array(dtype, shape,
               (aligned ? payload : Blob::copy(payload.bytes(), payload.name())).share());
}

template <class From, class To>
Array widened(const Blob& payload, const Shape& shape) {
  Array array(dtype_of<To>, shape);
  const auto out = array.mutable_data<To>();
  for (size_t i = 0; i < out.size(); ++i) {
    From value;
    std::memcpy(&value, payload.data() + i * sizeof(From), sizeof(From));
    if (!std::in_range<To>(value))
      payload.fail(i * sizeof(From), fmt::format("{} does not fit into int64.", value),
                   "store the array as int64 or float64.");
    out[i] = static_cast<To>(value);
  }
  return array;
}

}  // namespace

Array take_array(ByteCursor& cursor, StoredType element, const Shape& shape) {
  const size_t bytes = byte_count(cursor, shape, element.size);
  const Blob stored = cursor.take(bytes, fmt::format("an array of shape {}", to_string(shape)));
  if (element.kind == 'U' || element.kind == 'S') return array_of_strings(stored, element, shape);
  const Blob payload = little_endian(stored, element);
  if (const auto dtype = kept_as(element)) return kept(payload, *dtype, shape);
  if (element.kind == 'i' && element.size == 2) return widened<int16_t, int32_t>(payload, shape);
  if (element.kind == 'u' && element.size == 2) return widened<uint16_t, int32_t>(payload, shape);
  if (element.kind == 'u' && element.size == 4) return widened<uint32_t, int64_t>(payload, shape);
  if (element.kind == 'u' && element.size == 8) return widened<uint64_t, int64_t>(payload, shape);
  cursor.fail(
      fmt::format("elements of kind '{}' and {} bytes are not known.", element.kind, element.size));
}

Array take_array(ByteCursor& cursor, DType dtype, const Shape& shape) {
  const size_t bytes = byte_count(cursor, shape, size_of(dtype));
  return kept(cursor.take(bytes, fmt::format("an array of shape {}", to_string(shape))), dtype,
              shape);
}

}  // namespace stoker
