#pragma once
#include "io/blob.h"

namespace stoker {

// Unpacks a raw deflate stream whose declared unpacked size is `size` bytes.
Blob inflate(const Blob& packed, size_t size, std::string name);
// Unpacks a .gz file with one member.
Blob gunzip(const Blob& packed);
bool is_gzip(const Blob& file);

}  // namespace stoker
