#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

// Castagnoli's checksum, as TFRecord files use it, by the processor's instruction where it has one.
// `before`: that of the bytes before these.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);
// The same on every processor, byte by byte.
uint32_t crc32c_by_table(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace stoker
