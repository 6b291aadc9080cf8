#pragma once
#include <cstddef>

#include "io/byte_cursor.h"
#include "stoker/array.h"

namespace stoker {

// How a file stores one element: numpy's letter ('f' float, 'i' and 'u' integers, 'b' boolean; 'B'
// stands for bfloat16; 'U' and 'S' strings), its size in bytes and its byte
// order.
struct StoredType {
  char kind;
  size_t size;
  bool big_endian = false;
};

// Takes an array of this shape from the cursor. The elements keep their type; integers that Stoker
// has no type for are widened. The array shares the file's bytes where it can.
Array take_array(ByteCursor& cursor, StoredType element, const Shape& shape);
// The same of elements that are stored as Stoker has them.
Array take_array(ByteCursor& cursor, DType dtype, const Shape& shape);

}  // namespace stoker
