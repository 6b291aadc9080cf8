#include "io/protobuf.h"

#include <bit>

#include "io/little_endian.h"

namespace stoker::protobuf {
namespace {

enum WireType : uint64_t { plain = 0, fixed64 = 1, delimited = 2 };

std::string key(int number, WireType type) {
  return varint((static_cast<uint64_t>(number) << 3) | type);
}

}  // namespace

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  return out + static_cast<char>(value);
}

std::string field(int number, uint64_t value) { return key(number, plain) + varint(value); }

std::string field(int number, std::string_view bytes) {
  return key(number, delimited) + varint(bytes.size()) + std::string(bytes);
}

std::string double_field(int number, double value) {
  return key(number, fixed64) + little_endian(std::bit_cast<uint64_t>(value));
}

}  // namespace stoker::protobuf
