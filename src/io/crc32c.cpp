#include "io/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

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

using Checksum = uint32_t (*)(std::span<const std::byte>, uint32_t);

#if defined(__x86_64__) || defined(__ARM_FEATURE_CRC32)
#if defined(__x86_64__)
#define STOKER_CRC_TARGET __attribute__((target("sse4.2")))
STOKER_CRC_TARGET inline uint64_t add_eight(uint64_t crc, uint64_t bytes) {
  return _mm_crc32_u64(crc, bytes);
}
STOKER_CRC_TARGET inline uint32_t add_one(uint32_t crc, uint8_t byte) {
  return _mm_crc32_u8(crc, byte);
}
#else
#define STOKER_CRC_TARGET
inline uint64_t add_eight(uint64_t crc, uint64_t bytes) {
  return __crc32cd(static_cast<uint32_t>(crc), bytes);
}
inline uint32_t add_one(uint32_t crc, uint8_t byte) { return __crc32cb(crc, byte); }
#endif

STOKER_CRC_TARGET uint32_t by_instruction(std::span<const std::byte> bytes, uint32_t before) {
  const std::byte* at = bytes.data();
  uint64_t wide = static_cast<uint32_t>(~before);
  for (size_t eights = bytes.size() / 8; eights > 0; --eights, at += 8) {
    uint64_t value;
    std::memcpy(&value, at, sizeof(value));
    wide = add_eight(wide, value);
  }
  auto crc = static_cast<uint32_t>(wide);
  for (const std::byte* end = bytes.data() + bytes.size(); at != end; ++at)
    crc = add_one(crc, std::to_integer<uint8_t>(*at));
  return ~crc;
}
#endif

Checksum choose_checksum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return by_instruction;
#elif defined(__ARM_FEATURE_CRC32)
  return by_instruction;
#endif
  return crc32c_by_table;
}

}  // namespace

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before) {
  static const Checksum checksum = choose_checksum();
  return checksum(bytes, before);
}

uint32_t crc32c_by_table(std::span<const std::byte> bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (std::byte byte : bytes)
    crc = (crc >> 8) ^ table[(crc ^ std::to_integer<uint32_t>(byte)) & 0xff];
  return ~crc;
}

}  // namespace stoker
