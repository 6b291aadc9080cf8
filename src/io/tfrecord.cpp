#include "io/tfrecord.h"

#include "io/byte_cursor.h"
#include "io/crc32c.h"
#include "io/little.h"
#include "io/proofs.h"

namespace stoker {
namespace {

// A checksum of data that holds checksums would be weak: so they are stored turned and shifted.
uint32_t masked_crc(std::span<const std::byte> bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8u;
}

Blob take_proven(ByteCursor& cursor, size_t size, std::string_view what) {
  Blob data = cursor.take(size, what);
  const auto crc = cursor.little<uint32_t>("a checksum");
  if (check_proofs && crc != masked_crc(data.bytes()))
    data.fail(0, fmt::format("{} is damaged: its checksum differs.", what));
  return data;
}

}  // namespace

std::string encode_record(std::string_view data) {
  const std::string length = little(static_cast<uint64_t>(data.size()));
  std::string out = length + little(masked_crc(std::as_bytes(std::span(length))));
  out += data;
  return out + little(masked_crc(std::as_bytes(std::span(data))));
}

std::vector<Blob> parse_tfrecord(const Blob& file) {
  std::vector<Blob> records;
  for (ByteCursor cursor(file); cursor.remaining() > 0;) {
    const Blob length = take_proven(cursor, 8, "a record's length");
    records.push_back(
        take_proven(cursor, ByteCursor(length).little<uint64_t>("a length"), "a record"));
  }
  return records;
}

}  // namespace stoker
