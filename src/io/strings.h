#pragma once
#include "io/blob.h"
#include "io/elements.h"

namespace stoker {

// numpy's strings of a fixed width ('U': UCS-4, 'S': bytes) as their ids, by which tensors know
// them.
Array ids_of_strings(const Blob& payload, Element element, const Shape& shape);

}  // namespace stoker
