#pragma once
#include "data/stage.h"

namespace stoker::data {

// A batch under construction; several threads may fill different rows.
class BatchBuilder {
 public:
  // All elements must have this structure, these types and shapes.
  BatchBuilder(const ElementSpec& like, int64_t rows, BatchMemory& memory);

  // Sets row r to this element, the `number`-th of the dataset. Throws if it differs from the
  // others in type or shape; `first` is the index of one of them.
  void put(int64_t r, const Element& element, int64_t number, int64_t first);
  // The addresses of row r in each array, to write elements in place.
  std::vector<std::byte*> places(int64_t r) const;
  // Sets rows r, r + 1 … to the rows of these arrays with these indices.
  void put_rows(int64_t r, const Element& arrays, std::span<const int64_t> numbers);

  Element finish() &&;

 private:
  Structure structure_;
  std::vector<Array> arrays_;
  std::vector<TensorSpec> like_;
  std::vector<std::byte*> bases_;
  std::vector<size_t> row_bytes_;
  std::vector<std::vector<Array>> strings_;  // rows of string arrays; empty for others
};

}  // namespace stoker::data
