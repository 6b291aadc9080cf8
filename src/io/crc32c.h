#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

// Castagnoli's CRC, as used by TFRecord files, by a CPU instruction if available. `before`: the
// checksum of the bytes before these.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);
// The same with a table, byte by byte.
uint32_t crc32c_by_table(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace stoker
