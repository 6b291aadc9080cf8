#pragma once
#include <string>
#include <string_view>

#include "io/atomic_file.h"

namespace stoker {

// Writes a TFRecord file, which appears complete at close(), or not at all.
class TFRecordWriter {
 public:
  explicit TFRecordWriter(std::string path);

  void write(std::string_view record);
  uint64_t records() const { return records_; }
  void close();

 private:
  void flush();

  AtomicFile file_;
  std::string waiting_;
  uint64_t records_ = 0;
};

}  // namespace stoker
