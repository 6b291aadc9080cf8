#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "io/records/buffered_input.h"

namespace stoker {

// The records of a TFRecord file. A damaged record is an error, after which the next one can be
// read, unless its position is unknown, too: then the reader is at its end.
class TFRecordReader {
 public:
  // tf.data's compression_type: "", "GZIP", "ZLIB".
  explicit TFRecordReader(const std::string& path, std::string_view compression_type = "");
  explicit TFRecordReader(BufferedInput input);

  bool next(std::string_view& record);  // false at the end; owner() keeps the record's bytes alive
  uint64_t skip(uint64_t records);      // by their lengths; returns how many, fewer only at the end
  uint64_t position() const { return number_; }  // records before the next one
  std::shared_ptr<const void> owner() { return input_.owner(); }
  std::string place() const;  // of the last record, for errors about its content

 private:
  bool take(std::string_view* record);
  bool read_length(uint64_t& length);

  BufferedInput input_;
  uint64_t number_ = 0, record_offset_ = 0;
  bool ended_ = false;
};

}  // namespace stoker
