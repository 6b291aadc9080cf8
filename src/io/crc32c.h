#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

// Castagnoli's checksum, as TFRecord files use it.
uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace stoker
