#include "data/sources/string_files.h"
#include "io/records/buffered_input.h"
#include "io/records/record_number.h"
#include "stoker/record_datasets.h"

namespace stoker {
namespace {

// A file of records that all have the same length, between a header and a footer.
struct FixedLengthFormat {
  int64_t record_bytes = 0, header_bytes = 0, footer_bytes = 0;
  std::string compression_type = {};  // "GZIP", "ZLIB"
  void check() const;                 // throws InvalidArgument
};

class FixedLengthReader {
 public:
  FixedLengthReader(const std::string& path, const FixedLengthFormat& format);

  bool next(std::string_view& record);  // false at the end
  uint64_t skip(uint64_t records);      // returns how many were skipped: fewer only at the end

 private:
  bool take(std::string_view& record);

  BufferedInput input_;
  size_t record_, footer_;
  uint64_t header_, number_ = 0;
  bool begun_ = false, ended_ = false;
};

void FixedLengthFormat::check() const {
  if (record_bytes < 1 || header_bytes < 0 || footer_bytes < 0)
    throw InvalidArgument(
        fmt::format("record_bytes must be positive, header_bytes and footer_bytes not negative, "
                    "got {}, {} and {}.",
                    record_bytes, header_bytes, footer_bytes));
  compression_of(compression_type);
}

FixedLengthReader::FixedLengthReader(const std::string& path, const FixedLengthFormat& format)
    : input_(open_input(path, compression_of(format.compression_type))),
      record_(static_cast<size_t>(format.record_bytes)),
      footer_(static_cast<size_t>(format.footer_bytes)),
      header_(static_cast<uint64_t>(format.header_bytes)) {}

bool FixedLengthReader::next(std::string_view& record) {
  return in_record("record", number_, [&] { return take(record); });
}

uint64_t FixedLengthReader::skip(uint64_t records) {
  uint64_t skipped = 0;
  for (std::string_view record; skipped < records && next(record);) ++skipped;
  return skipped;
}

// Where a footer begins is known only at the end of the file.
bool FixedLengthReader::take(std::string_view& record) {
  if (ended_) return false;
  ended_ = true;  // unless a record is found: after an error there is none
  const uint64_t header = begun_ ? 0 : input_.skip(header_);
  if (!begun_ && header < header_)
    input_.fail(header,
                fmt::format("the file has {} bytes, fewer than the header's {}.", header, header_));
  begun_ = true;
  const std::string_view bytes = input_.peek(record_ + footer_);
  if (bytes.size() < record_ + footer_) {
    if (bytes.size() == footer_) return false;
    input_.fail(input_.offset(),
                fmt::format("{} bytes are left, but a record has {} and the footer {}.",
                            bytes.size(), record_, footer_),
                "the length of the file without header and footer must be a multiple of the "
                "record's.");
  }
  record = bytes.substr(0, record_);
  input_.consume(record_);
  ++number_;
  ended_ = false;
  return true;
}

}  // namespace

Dataset FixedLengthRecordDataset(const FileNames& files, int64_t record_bytes,
                                 const FixedLengthArgs& args, const Dataset::From& from) {
  data::check_files(files.names, "FixedLengthRecordDataset");
  const FixedLengthFormat format{record_bytes, args.header_bytes, args.footer_bytes,
                                 args.compression_type};
  format.check();
  const auto some = [from, format](const std::vector<std::string>& names) {
    return Dataset(std::make_shared<data::StringFiles<FixedLengthReader>>(
        "FixedLengthRecordDataset", names,
        [format](const std::string& path) { return FixedLengthReader(path, format); }, from));
  };
  return data::read_files(files.names, {.num_parallel_reads = args.num_parallel_reads}, some, from);
}

}  // namespace stoker
