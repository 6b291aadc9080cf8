#pragma once
#include "data/stage.h"

namespace stoker::data {

// A batch while its rows are filled in, by several threads if they fill different rows.
class BatchBuilder {
 public:
  // All elements must be of this structure, these types and shapes.
  BatchBuilder(const ElementSpec& like, int64_t rows, BatchMemory& memory);

  // Row r is this element, the `number`-th of the dataset. Throws if it is unlike the others;
  // `first` is the number of one of them.
  void put(int64_t r, const Element& element, int64_t number, int64_t first);
  // Where row r of each array lies, for whoever writes elements there.
  std::vector<std::byte*> places(int64_t r) const;
  // Rows r, r + 1 … are the rows of these arrays that have these numbers.
  void put_rows(int64_t r, const Element& arrays, std::span<const int64_t> numbers);

  Element finish() &&;

 private:
  Structure structure_;
  std::vector<Array> arrays_;
  std::vector<TensorSpec> like_;
  std::vector<std::byte*> bases_;
  std::vector<size_t> row_bytes_;
  std::vector<std::vector<Array>> strings_;  // rows of arrays of strings; empty for the others
};

}  // namespace stoker::data
