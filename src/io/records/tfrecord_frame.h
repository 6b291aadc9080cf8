#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "io/crc32c.h"

// The format of a TFRecord: its length (8 bytes), the length's CRC (4), the data, the data's CRC
// (4).
namespace stoker::tfrecord {

inline constexpr size_t header_bytes = 12, footer_bytes = 4;

// The CRC of data that contains CRCs would be weak: so they are stored masked (rotated plus a
// constant).
inline uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(std::as_bytes(std::span(bytes))), 15) + 0xa282ead8u;
}

template <class T>
T little_at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// Does the checksum after the first `size` bytes match them?
inline bool crc_matches(std::string_view bytes, size_t size) {
  return little_at<uint32_t>(bytes.data() + size) == masked_crc(bytes.substr(0, size));
}

std::string header(uint64_t length);
std::string footer(std::string_view data);
std::string encode(std::string_view data);  // the whole record

}  // namespace stoker::tfrecord
