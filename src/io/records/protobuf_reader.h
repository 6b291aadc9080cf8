#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "stoker/error.h"

namespace stoker::protobuf {

enum class Wire : uint8_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

struct Field {
  uint64_t number = 0;
  Wire wire = Wire::varint;
  uint64_t value = 0;      // for a varint
  std::string_view bytes;  // for all others
  size_t offset = 0;       // in the outermost message
};

// The fields of a message, one after the other.
class FieldReader {
 public:
  // `origin`: start of the outermost message, for errors.
  FieldReader(std::string_view message, const char* origin)
      : at_(message.data()), end_(at_ + message.size()), origin_(origin) {}

  bool next(Field& field) {  // false at the end
    if (at_ == end_) return false;
    field.offset = offset();
    const uint64_t key = varint();
    field.number = key >> 3;
    field.wire = static_cast<Wire>(key & 7);
    if (field.number == 0) fail("a field of number 0");
    read_value(field);
    return true;
  }
  bool done() const { return at_ == end_; }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) fail("it is cut short inside a number");
      const auto byte = static_cast<uint8_t>(*at_++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number of more than ten bytes");
  }

 private:
  void read_value(Field& field) {
    switch (field.wire) {
      case Wire::varint:
        field.value = varint();
        return;
      case Wire::fixed64:
        field.bytes = take(8);
        return;
      case Wire::delimited:
        field.bytes = take(varint());
        return;
      case Wire::fixed32:
        field.bytes = take(4);
        return;
    }
    fail(fmt::format("wire type {}, which nothing here has", static_cast<int>(field.wire)));
  }

  std::string_view take(uint64_t size) {
    const auto left = static_cast<uint64_t>(end_ - at_);
    if (size > left)
      fail(fmt::format("it is cut short: {} bytes are needed, {} are left", size, left));
    at_ += size;
    return {at_ - size, size};
  }

  size_t offset() const { return static_cast<size_t>(at_ - origin_); }
  [[noreturn]] void fail(const std::string& what) const {
    IoError error(fmt::format("a damaged message: {}.", what));
    error.add_where(fmt::format("byte {} of the message", offset()));
    throw error;
  }

  const char *at_, *end_, *origin_;
};

}  // namespace stoker::protobuf
