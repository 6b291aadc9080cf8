#pragma once
#include <fmt/format.h>

#include <bit>
#include <concepts>
#include <cstring>
#include <string>
#include <string_view>

#include "io/blob.h"

namespace stoker {

static_assert(std::endian::native == std::endian::little, "files are decoded in place");

template <std::unsigned_integral T>
constexpr T byteswap(T value) {
  T swapped = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    swapped = static_cast<T>((swapped << (8 * (sizeof(T) > 1))) | ((value >> (8 * i)) & 0xff));
  return swapped;
}

// Reads a blob sequentially; an error at its end names what was being read.
class ByteCursor {
 public:
  explicit ByteCursor(const Blob& blob, size_t offset = 0) : blob_(blob), offset_(offset) {
    if (offset > blob.size())
      blob.fail(blob.size(),
                fmt::format("an offset of {} is past the end at {}.", offset, blob.size()));
  }

  size_t offset() const { return offset_; }
  size_t remaining() const { return blob_.size() - offset_; }

  Blob take(size_t size, std::string_view what) {
    require(size, what);
    offset_ += size;
    return blob_.slice(offset_ - size, size);
  }

  template <std::unsigned_integral T>
  T little_endian(std::string_view what) {
    require(sizeof(T), what);
    T value;
    std::memcpy(&value, blob_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }

  template <std::unsigned_integral T>
  T big(std::string_view what) {
    return byteswap(little_endian<T>(what));
  }

  void skip(size_t size, std::string_view what) {
    require(size, what);
    offset_ += size;
  }

  void expect_end() const {
    if (remaining() > 0) fail(fmt::format("{} bytes follow the end of the data.", remaining()));
  }

  [[noreturn]] void fail(std::string message, std::string hint = {}) const {
    blob_.fail(offset_, std::move(message), std::move(hint));
  }

 private:
  void require(size_t size, std::string_view what) const {
    if (size > remaining())
      fail(fmt::format("the file is cut short: {} needs {} bytes, {} are left.", what, size,
                       remaining()));
  }

  const Blob& blob_;
  size_t offset_;
};

}  // namespace stoker
