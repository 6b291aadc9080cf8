#include "io/packed/packed_file.h"

#include <fmt/format.h>

#include "core/round_up.h"
#include "core/text/texts.h"
#include "io/arrays/elements.h"
#include "io/byte_cursor.h"
#include "io/crc32c.h"
#include "io/packed/element_config.h"
#include "io/packed/packed_layout.h"
#include "io/verify_checksums.h"
#include "stoker/io.h"

namespace stoker {
namespace {

using namespace packed;

void check_sum(const Blob& bytes, uint64_t expected, const char* what) {
  if (verify_checksums && crc32c(bytes.bytes()) != expected)
    bytes.fail(0, fmt::format("{} is damaged: its checksum differs.", what),
               "write the file again.");
}

void check_head(const Blob& file) {
  ByteCursor cursor(file);
  if (file.size() < head_bytes || cursor.take(magic.size(), "the head").text() != magic)
    file.fail(0, "this is not a Stoker packed file.",
              "such files are written by Dataset::save and `stoker pack`.");
  if (const auto found = cursor.little_endian<uint64_t>("the version"); found != version)
    file.fail(magic.size(), fmt::format("the file is of version {}, not {}.", found, version),
              "write it again with this version of Stoker.");
}

Shape take_shape(ByteCursor& cursor, const TensorSpec& spec) {
  Shape shape = spec.shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto dim = static_cast<int64_t>(cursor.little_endian<uint64_t>("a dimension"));
    if (dim < 0 || (shape[axis] != unknown && shape[axis] != dim))
      cursor.fail(fmt::format("a dimension of {} in an array of {}.", dim, to_string(spec)));
    shape[axis] = dim;
  }
  return shape;
}

void align(ByteCursor& cursor) {
  cursor.skip(round_up(cursor.offset(), array_alignment) - cursor.offset(), "an array's beginning");
}

Array take_texts(ByteCursor& cursor, const Shape& shape) {
  const Array ends = take_array(cursor, DType::int64, shape);
  const auto values = ends.data<int64_t>();
  const int64_t bytes = values.empty() ? 0 : values.back();
  if (bytes < 0) cursor.fail(fmt::format("strings of {} bytes.", bytes));
  const Blob text = cursor.take(static_cast<size_t>(bytes), "strings");
  const auto texts = std::make_shared<Texts>();
  texts->reserve(values.size(), text.size());
  int64_t begin = 0;
  for (const int64_t end : values) {
    if (end < begin || end > bytes)
      cursor.fail(fmt::format("a string from {} to {} of {} bytes.", begin, end, bytes));
    texts->add(text.text().substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
    begin = end;
  }
  return Array(texts, shape);
}

Array take_array_of(ByteCursor& cursor, const TensorSpec& spec) {
  const Shape shape = take_shape(cursor, spec);
  align(cursor);
  Array array = spec.text ? take_texts(cursor, shape) : take_array(cursor, spec.dtype, shape);
  align(cursor);
  return array;
}

}  // namespace

PackedFile::PackedFile(Blob file) : file_(std::move(file)) {
  check_head(file_);
  if (file_.size() < head_bytes + end_bytes)
    file_.fail(file_.size(), "the file is cut short: its end is missing.", "write it again.");
  open_end();
}

void PackedFile::open_end() {
  const Blob end = file_.slice(file_.size() - end_bytes, end_bytes);
  ByteCursor cursor(end);
  const auto number = [&] { return cursor.little_endian<uint64_t>("the end"); };
  const uint64_t description = number(), description_bytes = number(), description_sum = number();
  const uint64_t count = number(), table_sum = number();
  cursor.skip(8, "the end");
  const uint64_t end_sum = number();
  if (cursor.take(magic.size(), "the end").text() != magic)
    end.fail(0, "the file is cut short, or something was appended to it: its end is missing.",
             "write it again.");
  check_sum(end.slice(0, end_bytes - 2 * 8), end_sum, "the end of the file");
  const size_t rest = file_.size() - end_bytes;
  if (description < head_bytes || description > rest || description_bytes > rest - description ||
      (rest - description - description_bytes) % entry_bytes != 0 ||
      (rest - description - description_bytes) / entry_bytes != count)
    end.fail(0, fmt::format("{} bytes of description at {} and {} records are impossible.",
                            description_bytes, description, count));
  const Blob text = file_.slice(description, description_bytes);
  check_sum(text, description_sum, "the description");
  table_ = file_.slice(description + description_bytes, count * entry_bytes);
  check_sum(table_, table_sum, "the table of records");
  count_ = static_cast<int64_t>(count);
  checksum_ = table_sum;
  records_end_ = description;
  const Config config = parse_json(text.text(), file_.name());
  const Config* spec = config.find("spec");
  if (!spec) text.fail(0, "the description has no \"spec\".");
  spec_ = element_spec_from(*spec);
  if (const Config* notes = config.find("notes")) notes_ = *notes;
}

Blob PackedFile::record(int64_t i) const {
  ByteCursor entry(table_, static_cast<size_t>(i) * entry_bytes);
  const auto offset = entry.little_endian<uint64_t>("an offset"),
             bytes = entry.little_endian<uint64_t>("a size"),
             sum = entry.little_endian<uint64_t>("a checksum");
  if (offset > records_end_ || bytes > records_end_ - offset)
    entry.fail(fmt::format("a record of {} bytes at {}, but the records end at {}.", bytes, offset,
                           records_end_));
  Blob record = file_.slice(offset, bytes);
  check_sum(record, sum, "the record");
  return record;
}

Element PackedFile::at(int64_t i) const {
  try {
    const Blob bytes = record(i);
    ByteCursor cursor(bytes);
    std::vector<Array> arrays;
    for (const TensorSpec& spec : spec_.arrays) arrays.push_back(take_array_of(cursor, spec));
    cursor.expect_end();
    return {spec_.structure, std::move(arrays)};
  } catch (Error& error) {
    error.add_where(fmt::format("record {}", i));
    throw;
  }
}

}  // namespace stoker
