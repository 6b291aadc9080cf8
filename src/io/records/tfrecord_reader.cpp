#include "io/records/tfrecord_reader.h"

#include <limits>

#include "io/records/record_number.h"
#include "io/records/tfrecord_frame.h"
#include "io/verify_checksums.h"

namespace stoker {
namespace {

using tfrecord::footer_bytes, tfrecord::header_bytes;

std::string hint_for(std::string_view begin) {
  if (begin.starts_with("\x1f\x8b"))
    return "it looks compressed: set compression_type to \"GZIP\".";
  if (begin.starts_with('\x78')) return "it looks compressed: set compression_type to \"ZLIB\".";
  return "is it a TFRecord file?";
}

}  // namespace

TFRecordReader::TFRecordReader(const std::string& path, std::string_view compression_type)
    : TFRecordReader(open_input(path, compression_of(compression_type))) {}

TFRecordReader::TFRecordReader(BufferedInput input) : input_(std::move(input)) {}

bool TFRecordReader::next(std::string_view& record) {
  return in_record("record", number_, [&] { return take(&record); });
}

uint64_t TFRecordReader::skip(uint64_t records) {
  uint64_t skipped = 0;
  while (skipped < records && in_record("record", number_, [&] { return take(nullptr); }))
    ++skipped;
  return skipped;
}

std::string TFRecordReader::place() const {
  return fmt::format("{}, in record {}", input_.place(record_offset_), number_ - 1);
}

// With a null pointer the record is skipped unread.
bool TFRecordReader::take(std::string_view* record) {
  uint64_t length;
  if (ended_ || !read_length(length)) return false;
  const uint64_t size = length + footer_bytes;
  const std::string_view bytes = record ? input_.peek(size).substr(0, size) : std::string_view{};
  const uint64_t got = record ? bytes.size() : input_.skip(size);
  if (got < size)
    input_.fail(record_offset_,
                fmt::format("the file is cut short: a record needs {} bytes, {} are left.",
                            header_bytes + size, header_bytes + got));
  input_.consume(bytes.size());
  ended_ = false;
  ++number_;
  if (!record) return true;
  if (verify_checksums && !tfrecord::crc_matches(bytes, length))
    input_.fail(record_offset_, "a record is damaged: its checksum differs.");
  *record = bytes.substr(0, length);
  return true;
}

// Leaves the reader at its end: only after a complete record is the next one's position known.
bool TFRecordReader::read_length(uint64_t& length) {
  ended_ = true;
  record_offset_ = input_.offset();
  const std::string_view bytes = input_.peek(header_bytes);
  if (bytes.empty()) return false;
  if (bytes.size() < header_bytes)
    input_.fail(record_offset_, fmt::format("the file is cut short: a record's length and checksum "
                                            "need {} bytes, {} are left.",
                                            header_bytes, bytes.size()));
  if (verify_checksums && !tfrecord::crc_matches(bytes, 8))
    input_.fail(record_offset_,
                "a record's length is damaged: its checksum differs. No later record can be found.",
                number_ == 0 ? hint_for(bytes) : "");
  length = tfrecord::little_at<uint64_t>(bytes.data());
  if (length > std::numeric_limits<uint64_t>::max() / 2)
    input_.fail(record_offset_, fmt::format("a record cannot have {} bytes.", length));
  input_.consume(header_bytes);
  return true;
}

}  // namespace stoker
