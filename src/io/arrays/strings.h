#pragma once
#include "io/arrays/elements.h"
#include "io/blob.h"

namespace stoker {

// numpy's strings of a fixed width ('U': UCS-4, 'S': bytes) as an array of strings.
Array array_of_strings(const Blob& payload, StoredType element, const Shape& shape);

}  // namespace stoker
