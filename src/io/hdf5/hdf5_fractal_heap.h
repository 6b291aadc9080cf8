#pragma once
#include <map>
#include <string_view>

#include "io/hdf5/hdf5_file.h"

namespace stoker {
class ByteCursor;
}

namespace stoker::h5 {

uint64_t bytes_for(uint64_t largest);  // the bytes needed for numbers up to it
uint64_t read_sized(ByteCursor& cursor, uint64_t size, std::string_view what);

// Objects in blocks whose size doubles from row to row of a table; beyond some size the entries of
// a row are tables themselves.
class FractalHeap {
 public:
  FractalHeap(File& file, uint64_t address);
  Blob object(const Blob& id);

 private:
  Blob find(uint64_t offset, uint64_t length);
  Blob find_in_table(uint64_t table, uint64_t rows, uint64_t start, uint64_t offset,
                     uint64_t length);
  Blob take(uint64_t block, uint64_t size, uint64_t at, uint64_t length);
  uint64_t row_size(uint64_t row) const { return row == 0 ? first_ : first_ << (row - 1); }
  [[noreturn]] void fail(std::string message) const;

  File& file_;
  uint64_t address_, width_ = 0, first_ = 0, largest_direct_ = 0, root_ = no_address,
                     root_rows_ = 0;
  uint64_t offset_size_ = 0, length_size_ = 0;
  std::map<uint64_t, Blob> blocks_;  // read so far
};

}  // namespace stoker::h5
