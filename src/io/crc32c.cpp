#include "io/crc32c.h"

#include <array>

namespace stoker {
namespace {

constexpr std::array<uint32_t, 256> make_table() {
  constexpr uint32_t polynomial = 0x82f63b78;  // bits reversed
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? polynomial : 0);
    table[i] = value;
  }
  return table;
}
constexpr std::array<uint32_t, 256> table = make_table();

}  // namespace

uint32_t crc32c(std::span<const std::byte> bytes) {
  uint32_t crc = ~uint32_t{0};
  for (std::byte byte : bytes)
    crc = (crc >> 8) ^ table[(crc ^ std::to_integer<uint32_t>(byte)) & 0xff];
  return ~crc;
}

}  // namespace stoker
