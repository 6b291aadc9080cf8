#pragma once
#include "io/arrays/elements.h"
#include "io/byte_cursor.h"

namespace stoker::h5 {

struct Dataspace {
  Shape shape;
  bool null = false;  // no value, not even a scalar
};
Dataspace read_dataspace(const Blob& message);

struct Datatype {
  enum class Kind { number, fixed_text, variable_text };
  Kind kind = Kind::number;
  StoredType element{};       // of numbers
  uint32_t size = 0;          // of one element in the file
  bool space_padded = false;  // for fixed-length strings
};
Datatype read_datatype(const Blob& message);

}  // namespace stoker::h5
