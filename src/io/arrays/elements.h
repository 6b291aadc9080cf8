#pragma once
#include <cstddef>

#include "io/byte_cursor.h"
#include "stoker/array.h"

namespace stoker {

// How a file stores one element: numpy's type letter ('f' float, 'i' and 'u' integers, 'b' boolean;
// 'B' stands for bfloat16; 'U' and 'S' strings), its size in bytes and its byte order.
struct StoredType {
  char kind;
  size_t size;
  bool big_endian = false;
};

// Reads an array of this shape from the cursor. The elements keep their type; integer types that
// Stoker does not have are widened. The array shares the file's memory if possible.
Array take_array(ByteCursor& cursor, StoredType element, const Shape& shape);
// The same for elements stored in one of Stoker's types.
Array take_array(ByteCursor& cursor, DType dtype, const Shape& shape);

}  // namespace stoker
