#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

// memcpy for data that this core will not read again: with non-temporal stores, which bypass the
// caches and avoid reading the overwritten lines.
void stream_copy(std::byte* to, const std::byte* from, size_t bytes);

// The same for rows of a table with these indices, which are written to `to` contiguously. Rows are
// at random addresses: the next ones are prefetched while one is copied.
void stream_rows(std::byte* to, const std::byte* table, std::span<const int64_t> numbers,
                 size_t row_bytes);

}  // namespace stoker
