#pragma once
#include "io/blob.h"
#include "stoker/array.h"

namespace stoker {

// The format of MNIST: big endian, any rank; also gzipped.
Array parse_idx(const Blob& file);
bool is_idx(const Blob& file);

}  // namespace stoker
