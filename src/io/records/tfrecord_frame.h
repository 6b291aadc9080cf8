#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "io/crc32c.h"

// How a record lies in a TFRecord file: its length (8 bytes), the length's checksum (4), the data,
// the data's checksum (4).
namespace stoker::tfrecord {

inline constexpr size_t header_bytes = 12, footer_bytes = 4;

// A checksum of data that holds checksums would be weak: so they are stored turned and shifted.
inline uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(std::as_bytes(std::span(bytes))), 15) + 0xa282ead8u;
}

template <class T>
T little_at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// Whether the checksum behind the first `size` bytes is theirs.
inline bool proven(std::string_view bytes, size_t size) {
  return little_at<uint32_t>(bytes.data() + size) == masked_crc(bytes.substr(0, size));
}

std::string header(uint64_t length);
std::string footer(std::string_view data);
std::string encode(std::string_view data);  // the whole record

}  // namespace stoker::tfrecord
