#include "io/hdf5/hdf5_encode.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/round_up.h"
#include "io/hdf5/hdf5_file.h"
#include "io/little_endian.h"
#include "stoker/error.h"

namespace stoker::h5 {
namespace {

template <class... T>
std::string bytes(T... values) {
  return little_endian(static_cast<uint8_t>(values)...);
}

// A datatype's first eight bytes.
std::string type_head(uint8_t kind, uint32_t bits, uint32_t size) {
  constexpr uint32_t version = 1;
  return little_endian((bits << 8) | (version << 4) | kind, size);
}

std::string integer(uint16_t size, bool is_signed) {
  return type_head(0, is_signed ? 8 : 0, size) +
         little_endian(uint16_t{0}, static_cast<uint16_t>(8 * size));
}

std::string floating(uint16_t size, uint8_t exponent, uint8_t mantissa, uint32_t bias) {
  constexpr uint32_t implied_bit = 2 << 4;
  const uint32_t sign = 8u * size - 1;
  return type_head(1, implied_bit | (sign << 8), size) +
         little_endian(uint16_t{0}, static_cast<uint16_t>(8 * size)) +
         bytes(mantissa, exponent, 0, mantissa) + little_endian(bias);
}

std::string opaque(uint32_t size) { return type_head(5, 0, size); }

// As h5py writes booleans.
std::string boolean() {
  return type_head(8, 2, 1) + integer(1, true) + std::string("FALSE\0\0\0TRUE\0\0\0\0\0\1", 18);
}

std::string variable_text() {
  constexpr uint32_t is_text = 1, utf8 = 1 << 8;
  return type_head(9, is_text | utf8, 16) + integer(1, false);
}

}  // namespace

std::string encode_datatype(const H5Value& value) {
  if (value.is_text()) return variable_text();
  switch (value.numbers.dtype()) {
    case DType::float64:
      return floating(8, 11, 52, 1023);
    case DType::float32:
      return floating(4, 8, 23, 127);
    case DType::float16:
      return floating(2, 5, 10, 15);
    case DType::bfloat16:
      return opaque(2);
    case DType::int64:
      return integer(8, true);
    case DType::int32:
      return integer(4, true);
    case DType::int8:
      return integer(1, true);
    case DType::uint8:
      return integer(1, false);
    case DType::boolean:
      return boolean();
  }
  throw Internal("a dtype without a form in HDF5.");
}

std::string encode_dataspace(const H5Value& value) {
  const int rank = value.shape.rank();
  std::string out = bytes(2, rank, 0, rank > 0 ? 1 : 0);
  for (int64_t dim : value.shape) out += little_endian(static_cast<uint64_t>(dim));
  return out;
}

std::string encode_header(const std::vector<EncodedMessage>& messages) {
  constexpr uint8_t size_in_4_bytes = 2;
  std::string all;
  for (const EncodedMessage& message : messages) {
    if (message.body.size() > 0xffff)
      throw Unsupported(
          fmt::format("an HDF5 attribute or name takes {} bytes; at most {} are possible.",
                      message.body.size(), 0xffff),
          "split it, or make it a dataset.");
    all += bytes(message.type) + little_endian(static_cast<uint16_t>(message.body.size())) +
           bytes(0) + message.body;
  }
  std::string out =
      "OHDR" + bytes(2, size_in_4_bytes) + little_endian(static_cast<uint32_t>(all.size())) + all;
  out += little_endian(checksum(std::as_bytes(std::span(out))));
  out.resize(round_up(out.size(), 8), '\0');
  return out;
}

void TextHeap::add(const std::string& text) {
  constexpr size_t usual_size = 1 << 16;
  if (references_.contains(text)) return;
  if (text.empty()) {
    references_[text] = std::string(16, '\0');
    return;
  }
  if (!open_.empty() && open_.size() + text.size() > usual_size) close();
  const uint64_t address = address_ + written_.size();
  references_[text] =
      little_endian(static_cast<uint32_t>(text.size()), address, static_cast<uint32_t>(++count_));
  open_ +=
      little_endian(count_, uint16_t{1}, uint32_t{0}, static_cast<uint64_t>(text.size())) + text;
  open_.resize(round_up(open_.size(), 8), '\0');
}

// A collection has at least 4096 bytes and ends with a free-space object.
void TextHeap::close() {
  constexpr size_t header = 16, smallest = 4096;
  const size_t size = std::max(smallest, open_.size() + 2 * header);
  const size_t free = size - header - open_.size();
  open_ += little_endian(uint64_t{0}, static_cast<uint64_t>(free));
  written_ += "GCOL" + little_endian(uint32_t{1}, static_cast<uint64_t>(size)) + open_;
  written_.resize(written_.size() + free - header, '\0');
  open_.clear();
  count_ = 0;
}

std::string TextHeap::finish() {
  if (!open_.empty()) close();
  return written_;
}

}  // namespace stoker::h5
