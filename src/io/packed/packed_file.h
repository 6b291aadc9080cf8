#pragma once
#include "io/blob.h"
#include "stoker/config.h"
#include "stoker/element.h"

namespace stoker {

// Reads a packed file (packed_layout.h). Metadata is checked when it is opened, each record's
// checksum when it is read. Thread-safe.
class PackedFile {
 public:
  explicit PackedFile(Blob file);

  int64_t size() const { return count_; }
  const ElementSpec& spec() const { return spec_; }
  const Config& notes() const { return notes_; }
  uint64_t checksum() const { return checksum_; }  // of all records
  // Arrays are views of the file's bytes. Throws IoError with the record's index and offset.
  Element at(int64_t i) const;

 private:
  void open_end();
  Blob record(int64_t i) const;

  Blob file_;
  Blob table_;
  int64_t count_ = 0;
  size_t records_end_ = 0;
  uint64_t checksum_ = 0;
  ElementSpec spec_;
  Config notes_;
};

}  // namespace stoker
