#pragma once
#include "io/arrays/elements.h"
#include "io/blob.h"

namespace stoker {

struct NpyHeader {
  StoredType element;
  bool fortran_order = false;
  Shape shape;
};

// Reads the Python dictionary in the header of a .npy file: {'descr': '<f4', 'fortran_order':
// False, 'shape': (3, 4), }
NpyHeader parse_npy_header(const Blob& text);

}  // namespace stoker
