#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

// memcpy for data that this core will not read again: with non-temporal stores, which bypass the
// caches and avoid reading the overwritten lines.
void stream_copy(std::byte* to, const std::byte* from, size_t bytes);

// The same for the rows of a table that have these numbers, one behind the other at `to`. Rows lie
// anywhere in memory: the next ones are prefetched while one is copied.
void stream_rows(std::byte* to, const std::byte* table, std::span<const int64_t> numbers,
                 size_t row_bytes);

}  // namespace stoker
