#pragma once
#include <string>

#include "io/blob.h"
#include "stoker/array.h"

namespace stoker {

// numpy's .npy, versions 1 to 3.
Array parse_npy(const Blob& file);
bool is_npy(const Blob& file);
// The bytes before the array's data.
std::string npy_header(const Array& array);

}  // namespace stoker
