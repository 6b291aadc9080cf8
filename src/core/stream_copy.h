#pragma once
#include <cstddef>

namespace stoker {

// memcpy for what this core will not read again: where the processor can, it is written past the
// caches, which saves reading the lines that are overwritten.
void stream_copy(std::byte* to, const std::byte* from, size_t bytes);

}  // namespace stoker
